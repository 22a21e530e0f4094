import createClient from 'openapi-fetch';
import { connection } from './connection';
import { currentPosition, noticePosition } from './position';
import { Problem } from './problem';
import type { paths } from './schema';
import { session } from './session';

/** The shop's calls, typed from its own description (readapi/openapi.yaml). */
export const api = createClient<paths>({ fetch: (request) => fetch(request) });

api.use({
  onRequest({ request }) {
    const position = currentPosition();
    if (position && request.method === 'GET') request.headers.set('X-Min-Position', position);
    const signedIn = session.get();
    // Who signs in is somebody else: a wrong password must not end the present session.
    const signingIn = request.method === 'POST' && request.url.endsWith('/api/token/');
    if (signedIn && !signingIn) request.headers.set('Authorization', `Bearer ${signedIn.token}`);
  },
  onError({ error }) {
    // A question that is no longer asked was given up by the page itself.
    if (!(error instanceof DOMException && error.name === 'AbortError')) connection.notice(false);
  },
  onResponse({ request, response }) {
    connection.notice(!response.headers.has('X-From-Cache'));
    noticePosition(response.headers.get('X-Event-Position'));
    // The token has expired or was revoked. A session begun meanwhile stays.
    const sent = request.headers.get('Authorization');
    if (response.status === 401 && sent === `Bearer ${session.get()?.token}`) session.end();
  },
});

/** The body of a success; throws a Problem for any other answer. */
export async function answer<T>(
  call: Promise<{ data?: T; error?: unknown; response: Response }>,
): Promise<NonNullable<T>> {
  const { data, error, response } = await call;
  if (!response.ok || data === undefined || data === null) throw new Problem(response.status, error);
  return data;
}

/** For calls whose success says no more than that; throws a Problem for any other answer. */
export async function done(call: Promise<{ error?: unknown; response: Response }>): Promise<void> {
  const { error, response } = await call;
  if (!response.ok) throw new Problem(response.status, error);
}
