import { expect, test, vi } from 'vitest';
import staff from '../../vite.staff.config';

/** Runs the worker on a browser of nothing but what it uses; returns how to ask it, and what it kept. */
async function openWorker() {
  const kept: string[] = [];
  const cache = {
    addAll: async () => {},
    match: async () => undefined,
    put: async (url: string) => {
      kept.push(new URL(url).pathname);
    },
    keys: async () => [],
  };
  const heard = new Map<string, (event: unknown) => void>();
  vi.stubGlobal('BUILD', 'test');
  vi.stubGlobal('FILES', []);
  vi.stubGlobal('FOR_READING', ['', 'product']);
  vi.stubGlobal('FOR_ONE', ['basket']);
  vi.stubGlobal('caches', { open: async () => cache, keys: async () => [] });
  vi.stubGlobal('self', {
    addEventListener: (name: string, listener: (event: unknown) => void) => heard.set(name, listener),
  });
  vi.stubGlobal('fetch', async () => new Response('…'));
  vi.resetModules();
  await import('./worker');
  const get = async (path: string) => {
    let answered: Promise<Response> | undefined;
    heard.get('fetch')?.({
      request: { method: 'GET', mode: 'cors', url: `${location.origin}${path}`, headers: new Headers() },
      respondWith: (answer: Promise<Response>) => {
        answered = answer;
      },
    });
    await answered;
    await new Promise((later) => setTimeout(later));
  };
  return { get, kept };
}

/** The names that the staff build gives to its scripts and its style. */
const staffNames = () => {
  const output = staff.build?.rolldownOptions?.output;
  if (!output || Array.isArray(output)) throw new Error('The staff build has no one output.');
  const { entryFileNames, chunkFileNames, assetFileNames } = output;
  const style = typeof assetFileNames === 'function' ? assetFileNames({ names: ['a.css'] } as never) : '';
  return [entryFileNames, chunkFileNames, style].map(
    (name) =>
      `/${String(name).replace('[name]', 'app').replace('[hash]', 'x1').replace('[extname]', '.css')}`,
  );
};

test('the files of the shop are kept, those of the staff app are not', async () => {
  const { get, kept } = await openWorker();
  const [entry, chunk, style] = staffNames();
  for (const path of ['/assets/home-x1.js', entry, chunk, style]) await get(path as string);
  expect(kept).toEqual(['/assets/home-x1.js']);
});
