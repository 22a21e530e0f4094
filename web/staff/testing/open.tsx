import type { QueryClient } from '@tanstack/react-query';
import { render } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import type { ComponentType } from 'react';
import { MemoryRouter, useLocation } from 'react-router';
import { vi } from 'vitest';
import { type Asked, serve } from '../../src/testing/server';
import type { Me } from '../api/types';
import { createQueryClient } from '../app';

export type Routes = Parameters<typeof serve>[0];

/** Opens an address of a staff's page against such a server; null: nobody is signed in. */
export function openPage(
  App: ComponentType<{ client: QueryClient }>,
  path: string,
  routes: Routes,
  me: Me | null,
) {
  vi.stubGlobal('scrollTo', () => {});
  const asked: Asked[] = serve({
    'GET /api/staff/me': me ?? { status: 401, body: { detail: 'Sign in first.' } },
    ...routes,
  });
  const client = createQueryClient();
  client.setDefaultOptions({ queries: { ...client.getDefaultOptions().queries, retry: false } });
  const user = userEvent.setup({ delay: null });
  const view = render(
    <MemoryRouter initialEntries={[path]}>
      <App client={client} />
      <Address />
    </MemoryRouter>,
  );
  return { ...view, user, client, asked };
}

/** The address, for a test to look at. */
function Address() {
  const { pathname, search, hash } = useLocation();
  return <output data-testid="address" hidden>{`${pathname}${search}${hash}`}</output>;
}
