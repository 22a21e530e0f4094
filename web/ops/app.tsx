import { QueryCache, QueryClient, QueryClientProvider, useQuery } from '@tanstack/react-query';
import { lazy, type ReactNode, Suspense, useEffect } from 'react';
import { Navigate, Route, Routes, useLocation } from 'react-router';
import { isTransient, Problem } from '../src/api/problem';
import { rememberToken } from './api/client';
import { queries } from './api/queries';
import type { Me, Permission } from './api/types';
import { Boundary } from './boundary';
import { LiveProvider } from './live';
import { MeContext } from './me';
import { Failed, Loading, Nothing } from './parts/parts';
import { Projections } from './projections/projections';
import { Password } from './session/password';
import { SignIn } from './session/sign-in';
import { Gate, Shell } from './shell';

const parts = {
  builds: () => import('./builds/builds'),
  build: () => import('./builds/build'),
  letters: () => import('./deadletters/dead-letters'),
  letter: () => import('./deadletters/dead-letter'),
  log: () => import('./log/log'),
  health: () => import('./health/health'),
};
const Builds = lazy(() => parts.builds().then(({ Builds }) => ({ default: Builds })));
const BuildPage = lazy(() => parts.build().then(({ BuildPage }) => ({ default: BuildPage })));
const DeadLetters = lazy(() => parts.letters().then(({ DeadLetters }) => ({ default: DeadLetters })));
const DeadLetterPage = lazy(() => parts.letter().then(({ DeadLetterPage }) => ({ default: DeadLetterPage })));
const Log = lazy(() => parts.log().then(({ Log }) => ({ default: Log })));
const Health = lazy(() => parts.health().then(({ Health }) => ({ default: Health })));

/** Loads every screen ahead: an operator changes between them most when the shop is in trouble. */
const loadAhead = () => {
  for (const part of Object.values(parts)) part().catch(() => {});
};

/** A session that ended anywhere ends here: the sign-in stands at the same address, so one comes back to it. */
export function createQueryClient(): QueryClient {
  const client: QueryClient = new QueryClient({
    queryCache: new QueryCache({
      onError: (error) => {
        if (error instanceof Problem && error.status === 401)
          client.setQueryData(queries.me().queryKey, null);
      },
    }),
    defaultOptions: {
      queries: {
        staleTime: 10_000,
        // Asked also without a network: the failure is what the page shows.
        networkMode: 'always',
        retry: (failures, error) => failures < 1 && isTransient(error),
      },
      mutations: { networkMode: 'always' },
    },
  });
  return client;
}

export function App({ client }: { client: QueryClient }) {
  return (
    <QueryClientProvider client={client}>
      <Routes>
        <Route path="/ops/password" element={<Password />} />
        <Route path="*" element={<SignedIn />} />
      </Routes>
    </QueryClientProvider>
  );
}

function SignedIn() {
  const asked = useQuery({ ...queries.me(), retry: (failures, error) => failures < 2 && isTransient(error) });
  const { data: me, error } = asked;
  const { pathname } = useLocation();
  const signedIn = Boolean(me);
  useEffect(() => {
    if (signedIn) loadAhead();
  }, [signedIn]);
  if (me === null || (error instanceof Problem && error.status === 401)) return <SignIn />;
  if (me === undefined) {
    return (
      <Gate>
        {error ? (
          <Failed error={error} retry={() => asked.refetch()} what="The page" />
        ) : (
          <Loading rows={3} height={54} />
        )}
      </Gate>
    );
  }
  rememberToken(me.csrf);
  return (
    <MeContext value={me}>
      <LiveProvider>
        <Shell>
          <Boundary place={pathname}>
            <Suspense fallback={<Loading />}>
              <Screens me={me} />
            </Suspense>
          </Boundary>
        </Shell>
      </LiveProvider>
    </MeContext>
  );
}

function Screens({ me }: { me: Me }) {
  const needs = (permission: Permission, screen: ReactNode) =>
    me.permissions.includes(permission) ? (
      screen
    ) : (
      <Nothing title="Your role does not show this">
        {`The role ${me.role} lacks the permission ${permission}. An admin can give you another role.`}
      </Nothing>
    );
  const first = me.permissions.includes('projections.see')
    ? '/ops/projections'
    : me.permissions.includes('log.see')
      ? '/ops/log'
      : '/ops/projections';
  return (
    <Routes>
      <Route path="/ops" element={<Navigate to={first} replace />} />
      <Route path="/ops/projections" element={needs('projections.see', <Projections />)} />
      <Route path="/ops/builds" element={needs('projections.see', <Builds />)} />
      <Route path="/ops/builds/:id" element={needs('projections.see', <BuildPage />)} />
      <Route path="/ops/dead-letters" element={needs('projections.see', <DeadLetters />)} />
      <Route
        path="/ops/dead-letters/:projection/:position"
        element={needs('projections.see', <DeadLetterPage />)}
      />
      <Route path="/ops/log" element={needs('log.see', <Log />)} />
      <Route path="/ops/health" element={needs('health.see', <Health />)} />
      <Route path="*" element={<Nothing title="There is no such screen">Choose one above.</Nothing>} />
    </Routes>
  );
}
