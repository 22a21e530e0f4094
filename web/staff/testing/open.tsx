import { render } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { vi } from 'vitest';
import { useLocation } from '../../kit/router/router';
import { MemoryRouter } from '../../kit/testing/memory-router';
import { type Asked, serve } from '../../kit/testing/server';
import type { Me } from '../api/types';
import { App, createQueryClient } from '../app';
import { type Language, languageKey, speak } from '../language';

export type Routes = Parameters<typeof serve>[0];

/** As when somebody chose a language in this browser before. */
export async function startInLanguage(language: Language) {
  localStorage.setItem(languageKey, language);
  await speak(language);
}

/** Routes as the description names them: a call's path ends with a slash. */
const slashed = (routes: Routes): Routes =>
  Object.fromEntries(Object.entries(routes).map(([route, said]) => [route.replace(/\/?$/, '/'), said]));

/** Somebody of staff who is signed in. */
export const signedIn = (role: Me['role'], ...permissions: Me['permissions']): Me => ({
  id: '0199a6f2-7a31-7c0e-9e51-1b2c3d4e5f60',
  email: `${role}@shop.example`,
  role,
  permissions,
  csrf: 'token-of-the-session',
});

/** Opens an address of the staff app against such a server; null: nobody is signed in. */
export function openPage(path: string, routes: Routes, me: Me | null) {
  vi.stubGlobal('scrollTo', () => {});
  const asked: Asked[] = serve(
    slashed({ 'GET /api/staff/me': me ?? { status: 401, body: { detail: 'Sign in first.' } }, ...routes }),
  );
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
