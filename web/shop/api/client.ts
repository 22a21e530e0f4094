import createClient from 'openapi-fetch';
import type { paths } from '../../kit/api/schema';
import { connection } from './connection';
import { spokenLanguage } from './language';
import { ownTask } from './own-task';
import { currentPosition, noticePosition } from './position';
import { session } from './session';

const client = createClient<paths>({ fetch: (request) => fetch(request) });

/** A call that is put together and sent in a task of its own. */
const inOwnTask = <Call extends (...args: never[]) => Promise<unknown>>(call: Call) =>
  (async (...args: Parameters<Call>) => {
    await ownTask();
    return call(...args);
  }) as unknown as Call;

/**
 * The shop's calls, typed from its own description (readapi/openapi.yaml). To begin one takes a slow phone up to 40 ms,
 * and a page that starts begins several: each has a task of its own, so that a tap comes in between.
 */
export const api: typeof client = {
  ...client,
  GET: inOwnTask(client.GET),
  POST: inOwnTask(client.POST),
  PUT: inOwnTask(client.PUT),
  PATCH: inOwnTask(client.PATCH),
  DELETE: inOwnTask(client.DELETE),
};

/** What the catalog says in both languages is asked for in that of the page; the server spells it alike (pages/fill.go). */
const inKazakh = (url: string) => `${url}${url.includes('?') ? '&' : '?'}lang=kk`;

client.use({
  onRequest({ request: asked }) {
    const kazakh = spokenLanguage() === 'kk' && asked.method === 'GET';
    const request = kazakh ? new Request(inKazakh(asked.url), asked) : asked;
    const position = currentPosition();
    if (position && request.method === 'GET') request.headers.set('X-Min-Position', position);
    const signedIn = session.get();
    // Calls that sign in carry no session: a wrong password must not end the present one.
    const signingIn = request.method === 'POST' && request.url.endsWith('/api/token/');
    if (signedIn && !signingIn) request.headers.set('Authorization', `Bearer ${signedIn.token}`);
    return request;
  },
  onError({ error }) {
    // The page itself has aborted the call.
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
