/// <reference lib="webworker" />
export {};

declare const self: ServiceWorkerGlobalScope;

/** The build's own mark, and the files that its pages for reading need; the build fills them in. */
declare const BUILD: string;
declare const FILES: string[];
/** The first parts of the paths of pages (app/pages.ts): of those for everybody, and of those for one shopper. */
declare const FOR_READING: string[];
declare const FOR_ONE: string[];

// Every cache belongs to one build, so a kept page never runs the scripts of another build.
const files = `files ${BUILD}`;
const pages = `pages ${BUILD}`;
const answers = `answers ${BUILD}`;

/** A page without content, whose script draws any address. */
const shell = '/shell';
/** What every page shows around its content. */
const around = ['/api/categories/', '/api/rules/', '/api/shop/'];

const pagesKept = 60;
const answersKept = 200;
/** How long to wait for the network although the browser says that it is offline, in milliseconds. */
const patience = 1000;

const isIn = (places: string[], pathname: string) => places.includes(pathname.split('/')[1] ?? '');
/** Pages that are the same for everybody, kept as they are read. */
const forReading = (pathname: string) => isIn(FOR_READING, pathname);
/** Pages that hold something of a person: only their empty shell is kept. */
const forOne = (pathname: string) => isIn(FOR_ONE, pathname);
/** Answers that are the same for everybody. Searches are never kept: they are personal. */
const forAll = /^\/api\/(?!products\/suggest)(products|categories|brands|content|blog|rules|shop)(\/|$)/;

self.addEventListener('install', (event) => event.waitUntil(install()));
self.addEventListener('activate', (event) => event.waitUntil(activate()));
self.addEventListener('fetch', (event) => {
  const { request } = event;
  const { origin, pathname, searchParams } = new URL(request.url);
  if (request.method !== 'GET' || origin !== location.origin) return;
  if (request.mode === 'navigate') {
    if (forReading(pathname) || forOne(pathname)) event.respondWith(page(request, pathname));
  } else if (pathname.startsWith('/assets/')) {
    event.respondWith(file(request, pathname));
  } else if (forAll.test(pathname) && !searchParams.has('search')) {
    event.respondWith(answer(request));
  }
});

async function install(): Promise<void> {
  await (await caches.open(files)).addAll([shell, ...FILES]);
  await (await caches.open(answers)).addAll(around);
  await self.skipWaiting();
}

/** Takes over from the previous release: deletes its caches and serves the open pages. */
async function activate(): Promise<void> {
  const own = [files, pages, answers];
  const old = (await caches.keys()).filter((name) => !own.includes(name));
  await Promise.all(old.map((name) => caches.delete(name)));
  await self.clients.claim();
  for (const { url } of await self.clients.matchAll({ type: 'window' })) {
    if (forReading(new URL(url).pathname)) await keep(pages, url, await fetch(url), pagesKept);
  }
}

/** From the network; without one as it was read last, else the shell. */
async function page(request: Request, pathname: string): Promise<Response> {
  try {
    const fresh = await reach(request);
    if (forReading(pathname)) void keep(pages, request.url, fresh.clone(), pagesKept);
    return fresh;
  } catch (failure) {
    const kept = (await find(pages, request.url)) ?? (await find(files, shell));
    if (!kept) throw failure;
    // Marks the copy, so that the page knows it may be old.
    const html = (await kept.text()).replace('<head>', '<head><meta name="kept">');
    return new Response(html, { status: kept.status, headers: headersOf(kept) });
  }
}

/** A file has its content's hash in its name: a copy is as good as the file. */
async function file(request: Request, pathname: string): Promise<Response> {
  const kept = await find(files, request.url);
  if (kept) return kept;
  const fresh = await fetch(request);
  // The files of the staff app are no part of the shop's.
  if (!pathname.startsWith('/assets/staff-')) void keep(files, request.url, fresh.clone());
  return fresh;
}

/**
 * From the network; without one as it was last, and marked: a kept price is never taken for today's. What nobody has
 * asked yet is a gateway's failure, marked too.
 */
async function answer(request: Request): Promise<Response> {
  try {
    const fresh = await reach(request);
    // An answer to a signed-in request may hold personal data.
    if (!request.headers.has('Authorization')) void keep(answers, request.url, fresh.clone(), answersKept);
    return fresh;
  } catch {
    const kept = (await find(answers, request.url)) ?? new Response(null, { status: 504 });
    const headers = headersOf(kept);
    headers.set('X-From-Cache', '1');
    return new Response(kept.body, { status: kept.status, headers });
  }
}

/** Asks the network, with a time limit when the browser says that it is offline. */
const reach = (request: Request): Promise<Response> =>
  navigator.onLine
    ? fetch(request)
    : Promise.race([
        fetch(request),
        new Promise<never>((_, fail) => {
          setTimeout(() => fail(new TypeError('There is no network.')), patience);
        }),
      ]);

const find = async (cache: string, url: string): Promise<Response | undefined> =>
  (await caches.open(cache)).match(url, { ignoreVary: true });

/** Keeps a whole answer of our own, and lets go of those kept longest when there are more than so many. */
async function keep(cache: string, url: string, response: Response, most = Number.POSITIVE_INFINITY) {
  if (response.status !== 200 || response.redirected) return;
  const kept = await caches.open(cache);
  await kept.put(url, response);
  const all = await kept.keys();
  await Promise.all(all.slice(0, Math.max(0, all.length - most)).map((old) => kept.delete(old)));
}

/** The headers of a kept response. Its body is no longer encoded. */
function headersOf(kept: Response): Headers {
  const headers = new Headers(kept.headers);
  headers.delete('Content-Encoding');
  headers.delete('Content-Length');
  return headers;
}
