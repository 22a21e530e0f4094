import createClient from 'openapi-fetch';
import type { paths } from '../../kit/api/schema';
import { connection } from './connection';
import { currentPosition, noticePosition } from './position';
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
