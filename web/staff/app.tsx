import { QueryCache, QueryClient, QueryClientProvider, useQuery } from '@tanstack/react-query';
import { type FunctionComponent, type ReactNode, useState } from 'react';
import { isTransient, Problem } from '../kit/api/problem';
import { Boundary } from '../kit/boundary';
import { onDemand } from '../kit/design/on-demand';
import { Navigate, Route, Routes, useLocation } from '../kit/router/router';
import { rememberToken } from './api/client';
import type { Permission } from './api/types';
import { Gate } from './frame';
import { useLanguage } from './language';
import { MeContext, useMe, whoIs } from './me';
import { Action, Failed, Loading, Nothing } from './parts/parts';
import { mayOpen, sections, useSection } from './sections';
import { endStepUp, useStepUpAsked } from './session/step-up';
import { appTexts, frameTexts } from './texts/ru';

// Signed-in staff need neither form, so each is loaded when it is shown.
const Account = onDemand(
  () => import('./account/account').then(({ Account }) => ({ default: Account })),
  <Arriving />,
);
const Password = onDemand(
  () => import('./session/password').then(({ Password }) => ({ default: Password })),
  <Arriving />,
);
const SignIn = onDemand(
  () => import('./session/sign-in').then(({ SignIn }) => ({ default: SignIn })),
  <Arriving />,
);
const StepUpDialog = onDemand<FunctionComponent>(() =>
  import('./session/step-up-dialog').then(
    ({ StepUpDialog }) => ({ default: StepUpDialog }),
    () => {
      endStepUp(false);
      return { default: () => null };
    },
  ),
);

/** When a session ends, the sign-in form takes the screen's place at the same address, so that staff return to the screen. */
export function createQueryClient(): QueryClient {
  const client: QueryClient = new QueryClient({
    queryCache: new QueryCache({
      onError: (error) => {
        if (error instanceof Problem && error.status === 401) client.setQueryData(whoIs().queryKey, null);
      },
    }),
    defaultOptions: {
      queries: {
        staleTime: 10_000,
        // Fetched even offline, so that the page can show the failure.
        networkMode: 'always',
        retry: (failures, error) => failures < 1 && isTransient(error),
      },
      mutations: { networkMode: 'always' },
    },
  });
  return client;
}

/** The staff app: its sections behind one sign-in. It is drawn again when the language changes. */
export function App({ client }: { client: QueryClient }) {
  useLanguage();
  return (
    <QueryClientProvider client={client}>
      <Routes>
        {sections.map(({ home }) => (
          <Route key={home} path={`${home}/password`} element={<Password />} />
        ))}
        {sections.map(({ home }) => (
          <Route
            key={home}
            path={`${home}/account`}
            element={
              <SignedIn>
                <Account />
              </SignedIn>
            }
          />
        ))}
        <Route
          path="*"
          element={
            <SignedIn>
              <Sections />
            </SignedIn>
          }
        />
      </Routes>
    </QueryClientProvider>
  );
}

function SignedIn({ children }: { children: ReactNode }) {
  const asked = useQuery({ ...whoIs(), retry: (failures, error) => failures < 2 && isTransient(error) });
  const { data: me, error } = asked;
  if (me === null || (error instanceof Problem && error.status === 401)) return <SignIn />;
  if (me === undefined) {
    return (
      <Gate>
        {error ? (
          <Failed error={error} retry={() => asked.refetch()} what={appTexts.page} />
        ) : (
          <Loading rows={3} height={54} />
        )}
      </Gate>
    );
  }
  rememberToken(me.csrf);
  return (
    <MeContext value={me}>
      {children}
      <StepUp />
    </MeContext>
  );
}

/** Asks for the second factor. The form is loaded when it is first asked for, which most pages never do. */
function StepUp() {
  const asked = useStepUpAsked();
  const [needed, setNeeded] = useState(false);
  if (asked && !needed) setNeeded(true);
  return needed ? <StepUpDialog /> : null;
}

/** The section of the address. The beginning of one that the role does not open leads to one that it does. */
function Sections() {
  const { permissions } = useMe();
  const { pathname } = useLocation();
  const section = useSection();
  const other = sections.find((one) => mayOpen(one, permissions));
  if (pathname === section.home && other && !mayOpen(section, permissions))
    return <Navigate to={other.home} replace />;
  return (
    <Boundary
      place={section.home}
      fallback={
        <Gate>
          <NotLoaded />
        </Gate>
      }
    >
      <section.Screens until={<Arriving />} />
    </Boundary>
  );
}

/** While a section or a form is on its way. */
function Arriving() {
  return (
    <Gate>
      <Loading rows={3} height={54} />
    </Gate>
  );
}

/** A screen that may still be on its way, or fail to come; the frame with the other screens stays. */
export function Screen({ children }: { children: ReactNode }) {
  const { pathname } = useLocation();
  return (
    <Boundary place={pathname} fallback={<NotLoaded />}>
      {children}
    </Boundary>
  );
}

function NotLoaded() {
  return (
    <div role="alert">
      <Nothing title={appTexts.notLoaded}>
        {appTexts.notLoadedWhy} <Action onClick={() => location.reload()}>{appTexts.reload}</Action>
      </Nothing>
    </div>
  );
}

/** Shows its children only to roles with the permission. The server refuses others in any case. */
export function RequirePermission({ permission, children }: { permission: Permission; children: ReactNode }) {
  const { role, permissions } = useMe();
  if (permissions.includes(permission)) return children;
  return (
    <Nothing title={appTexts.notYours}>{appTexts.notYoursWhy(frameTexts.roles[role], permission)}</Nothing>
  );
}
