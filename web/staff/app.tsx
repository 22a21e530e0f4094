import { QueryCache, QueryClient, QueryClientProvider, useQuery } from '@tanstack/react-query';
import { type ReactNode, Suspense } from 'react';
import { Route, Routes, useLocation } from 'react-router';
import { isTransient, Problem } from '../src/api/problem';
import { rememberToken } from './api/client';
import type { Permission } from './api/types';
import { Boundary } from './boundary';
import { Gate } from './frame';
import { MeContext, useMe, whoIs } from './me';
import { type Page, PageContext } from './page';
import { Failed, Loading, Nothing } from './parts/parts';
import { Password } from './session/password';
import { SignIn } from './session/sign-in';

/** A session that ended anywhere ends here: the sign-in stands at the same address, so one comes back to it. */
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
        // Asked also without a network: the failure is what the page shows.
        networkMode: 'always',
        retry: (failures, error) => failures < 1 && isTransient(error),
      },
      mutations: { networkMode: 'always' },
    },
  });
  return client;
}

/** A page of the staff: its children stand behind the sign-in. */
export function StaffApp({
  client,
  page,
  children,
}: {
  client: QueryClient;
  page: Page;
  children: ReactNode;
}) {
  return (
    <QueryClientProvider client={client}>
      <PageContext value={page}>
        <Routes>
          <Route path={`${page.home}/password`} element={<Password />} />
          <Route path="*" element={<SignedIn>{children}</SignedIn>} />
        </Routes>
      </PageContext>
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
          <Failed error={error} retry={() => asked.refetch()} what="The page" />
        ) : (
          <Loading rows={3} height={54} />
        )}
      </Gate>
    );
  }
  rememberToken(me.csrf);
  return <MeContext value={me}>{children}</MeContext>;
}

/** A screen that may still be on its way, or fail to come. */
export function Screen({ children }: { children: ReactNode }) {
  const { pathname } = useLocation();
  return (
    <Boundary place={pathname}>
      <Suspense fallback={<Loading />}>{children}</Suspense>
    </Boundary>
  );
}

/** What only a role with a permission sees; the server refuses it to others all the same. */
export function Needs({ permission, children }: { permission: Permission; children: ReactNode }) {
  const { role, permissions } = useMe();
  if (permissions.includes(permission)) return children;
  return (
    <Nothing title="Your role does not show this">
      {`The role ${role} lacks the permission ${permission}. An admin can give you another role.`}
    </Nothing>
  );
}
