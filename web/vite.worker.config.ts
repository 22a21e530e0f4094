import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { defineConfig, type Manifest } from 'vite';

const built = (name: string) => readFileSync(new URL(`dist/${name}`, import.meta.url), 'utf8');

/** A page as web/shop/app/pages.ts says it (scripts/pages.mjs). */
type Listed = { path: string; module: string; own?: true; offline?: true };

/** The first parts of the paths of pages. */
const placesOf = (pages: Listed[]) => [...new Set(pages.map(({ path }) => path.split('/')[1]))];

/** The scripts of the pages that can be read without a network, of what comes to every page later, and the fonts. */
function filesOf(manifest: Manifest, pages: Listed[]): string[] {
  const read = pages.filter(({ offline }) => offline).map(({ module }) => module);
  const files = new Set<string>();
  const walk = (module: string) => {
    const chunk = manifest[module];
    if (!chunk) throw new Error(`The build has no ${module}.`);
    if (files.has(`/${chunk.file}`)) return;
    files.add(`/${chunk.file}`);
    for (const asset of chunk.assets ?? []) if (asset.endsWith('.woff2')) files.add(`/${asset}`);
    for (const needed of chunk.imports ?? []) walk(needed);
  };
  for (const module of ['index.html', 'shop/app/connection.tsx', ...read]) walk(module);
  return [...files];
}

// The service worker knows the files of the storefront's build, so it is built after it, under one name for ever.
export default defineConfig(() => {
  const manifest = built('.vite/manifest.json');
  const pages = JSON.parse(built('.vite/pages.json')) as Listed[];
  const worker = readFileSync(new URL('shop/worker/worker.ts', import.meta.url));
  const build = createHash('sha256')
    .update(manifest)
    .update(built('index.html'))
    .update(worker)
    .digest('hex');
  return {
    publicDir: false,
    define: {
      BUILD: JSON.stringify(build.slice(0, 12)),
      FILES: JSON.stringify(filesOf(JSON.parse(manifest), pages)),
      FOR_READING: JSON.stringify(placesOf(pages.filter(({ own }) => !own))),
      FOR_ONE: JSON.stringify(placesOf(pages.filter(({ own }) => own))),
    },
    build: {
      target: 'es2022',
      emptyOutDir: false,
      reportCompressedSize: false,
      rolldownOptions: {
        input: 'shop/worker/worker.ts',
        output: { format: 'iife', entryFileNames: 'worker.js' },
      },
    },
  };
});
