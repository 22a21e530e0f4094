import { vi } from 'vitest';

/** A request as the server would see it. */
export type Asked = { method: string; path: string; query: URLSearchParams; headers: Headers; body: unknown };

type Reply = { status?: number; body?: unknown; headers?: Record<string, string> };
type Handler = (asked: Asked) => Reply | Promise<Reply> | unknown;

const isReply = (value: unknown): value is Reply =>
  typeof value === 'object' &&
  value !== null &&
  // An order has a status too, but in words.
  (('status' in value && typeof value.status === 'number') || 'headers' in value) &&
  !('version' in value);

/**
 * Answers fetch in a test: a route is 'METHOD /path/', its value the body of a 200 or a function of the request that
 * returns a body or a whole reply. An unknown route answers 404. Returns what was asked, in order.
 */
export function serve(routes: Record<string, Handler | object>): Asked[] {
  const log: Asked[] = [];
  vi.stubGlobal('fetch', async (request: Request) => {
    const url = new URL(request.url, 'http://shop.test');
    const asked: Asked = {
      method: request.method,
      path: url.pathname,
      query: url.searchParams,
      headers: new Headers(request.headers),
      body: await bodyOf(request),
    };
    log.push(asked);
    const route = routes[`${asked.method} ${asked.path}`];
    if (route === undefined) return json({ status: 404, body: { detail: 'Не найдено' } });
    const said = typeof route === 'function' ? await route(asked) : route;
    return json(isReply(said) ? said : { body: said });
  });
  return log;
}

/** JSON as it is; of a form its fields, of a file its name; a body of bytes as text. */
async function bodyOf(request: Request): Promise<unknown> {
  if (request.method === 'GET') return undefined;
  if (request.headers.get('Content-Type')?.startsWith('multipart/')) {
    const fields = [...(await request.formData()).entries()];
    return Object.fromEntries(
      fields.map(([name, value]) => [name, typeof value === 'string' ? value : value.name]),
    );
  }
  const text = await request.text();
  if (request.headers.get('Content-Type') === 'application/octet-stream') return text;
  return text ? JSON.parse(text) : undefined;
}

const json = ({ status = 200, body = {}, headers = {} }: Reply) =>
  new Response(JSON.stringify(body), { status, headers: { 'Content-Type': 'application/json', ...headers } });

const bare = (path: string) => path.replace(/\/$/, '');

/** Whether a request was for this route, with a slash at its end or without. */
export const to = (method: string, path: string) => (asked: Asked) =>
  asked.method === method && bare(asked.path) === bare(path);
