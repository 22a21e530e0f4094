import { once } from 'node:events';
import { createServer } from 'node:http';

/** Where one file of a build names another. */
const names = /((?:\.\/|assets\/)[\w-]+)\.js\b/g;
const next = '.next.js';

/**
 * A door before a shop. Once a release is out it shows the shop as a newer build does: its scripts have other names,
 * those of the old build are gone, and its service worker has a mark of its own.
 */
export async function openDoor(origin) {
  let released = false;
  const door = createServer(async (request, response) => {
    const old = released && /^\/assets\/.*\.js$/.test(request.url) && !request.url.endsWith(next);
    if (old) return response.writeHead(404).end();
    const answer = await fetch(origin + request.url.replace(next, '.js'), {
      method: request.method,
      headers: { cookie: request.headers.cookie ?? '' },
      redirect: 'manual',
    });
    let body = Buffer.from(await answer.arrayBuffer());
    const headers = Object.fromEntries(answer.headers);
    for (const gone of ['content-encoding', 'content-length', 'etag', 'transfer-encoding'])
      delete headers[gone];
    if (released && /html|javascript/.test(headers['content-type'] ?? '')) {
      const text = body.toString().replaceAll(names, `$1${next}`);
      const [, mark] = text.match(/files ([0-9a-f]{12})/) ?? [];
      body = Buffer.from(mark ? text.replaceAll(mark, 'ffffffffffff') : text);
    }
    response.writeHead(answer.status, headers).end(request.method === 'HEAD' ? undefined : body);
  });
  door.listen(0, '127.0.0.1');
  await once(door, 'listening');
  return {
    origin: `http://127.0.0.1:${door.address().port}`,
    release: () => {
      released = true;
    },
    close: () => {
      door.closeAllConnections();
      door.close();
    },
  };
}
