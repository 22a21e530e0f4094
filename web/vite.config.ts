import react from '@vitejs/plugin-react';
import type { Plugin } from 'vite';
import { defineConfig } from 'vitest/config';
import { classNames, postcss } from './vite.styles.ts';

// Node 20 lacks this, and Vitest needs it to report a failure.
Map.groupBy ??= (items, keyOf) => {
  const groups = new Map();
  let index = 0;
  for (const item of items) {
    const key = keyOf(item, index++);
    groups.set(key, [...(groups.get(key) ?? []), item]);
  }
  return groups;
};

const shop = process.env.SHOP_ORIGIN ?? 'http://127.0.0.1:8080';

/** What Vite puts around import() fetches files in advance; no chunk here has any, and every page would carry it. */
const plainImports: Plugin = {
  name: 'plain-imports',
  enforce: 'pre',
  load: (id) =>
    id.endsWith('vite/preload-helper.js') ? 'export const __vitePreload = (load) => load();' : undefined,
};

export default defineConfig(({ command }) => ({
  plugins: [plainImports, react()],
  // Development keeps readable class names.
  css: { postcss, modules: command === 'build' ? { generateScopedName: classNames } : {} },
  server: {
    host: '127.0.0.1',
    proxy: { '/api': shop, '/img': shop, '/pay': shop },
  },
  build: {
    target: 'es2022',
    manifest: true,
    cssCodeSplit: false,
    // Everything is a file of our own origin: the content security policy allows no data: URLs.
    assetsInlineLimit: 0,
    // The server names a page's scripts in its head; more would come with a helper on every page.
    modulePreload: false,
    reportCompressedSize: false,
    rolldownOptions: {
      output: {
        codeSplitting: {
          groups: [
            // The few bytes of design/chunk go with it, for they are on every page and would be a file of their own.
            // What every page needs of others' work; questions that only some pages ask stay with those pages.
            {
              name: 'vendor',
              test: /web[\\/]shop[\\/]design[\\/]chunk\.|web[\\/]kit[\\/]router[\\/]|node_modules[\\/](react|react-dom|scheduler|wouter|regexparam|openapi-fetch|@tanstack)[\\/](?!.*(nfiniteQueryObserver|seInfiniteQuery|utationObserver|seMutation|ueriesObserver|seQueries))/,
            },
            // React starts as a task of its own, before the page's, called by a chunk that holds nothing else.
            { name: 'root', test: /web[\\/]shop[\\/]app[\\/]root\./ },
            // What several pages share is one file, not thirty small ones; a dialog comes when it is first opened, and
            // what is for forms and for the account comes with those.
            {
              name: 'shared',
              test: /web[\\/](shop|kit)[\\/](?!design[\\/](dialog|confirm|phone|field|use-in-sight)|features[\\/](basket[\\/]totals|form|session|customer|order|bonus|restock|city)|texts[\\/](basket|field|form|session|account|order|restock)|design[\\/](use-|rail|turning)|features[\\/](brand|product[\\/]product-(card|list)))/,
              minShareCount: 4,
            },
            // Rows of products, brands and categories, and what turns them: home asks for all of it.
            {
              name: 'rows',
              test: /web[\\/]shop[\\/](design[\\/](rail|turning|use-media|use-shown-again)|features[\\/](brand[\\/]brand-(grid|queries)|category[\\/]category-(tiles|address)|product[\\/]product-(card|list)))\./,
              minShareCount: 2,
            },
            // Fetched once a page works, on every page: what to ask before a link is followed.
            {
              name: 'prefetch',
              test: /web[\\/]shop[\\/](app[\\/](prefetch|asks)|features[\\/](post[\\/]post-queries|content[\\/]page-queries))\./,
            },
            {
              name: 'changes',
              test: /[\\/](node_modules[\\/]@tanstack[\\/].*(utationObserver|seMutation)|customer-queries)/,
            },
            {
              name: 'forms',
              test: /[\\/](node_modules[\\/](react-hook-form|@hookform|zod)|web[\\/]shop[\\/](design[\\/]phone|features[\\/]form|texts[\\/]form))/,
              minShareCount: 3,
            },
            {
              name: 'account',
              test: /web[\\/]shop[\\/](features[\\/](session|customer|order|bonus)|texts[\\/](session|account))/,
              minShareCount: 3,
            },
          ],
        },
      },
    },
  },
  test: {
    environment: 'happy-dom',
    restoreMocks: true,
    testTimeout: 60_000,
    // On a busy machine a test may miss a deadline.
    retry: process.env.CI ? 1 : 0,
    // Files share a document and what modules remember, which takes a quarter of the time; setup files put both back, and mock modules for all.
    isolate: false,
    css: { modules: { classNameStrategy: 'non-scoped' } },
    projects: [
      {
        extends: true,
        test: {
          name: 'shop',
          include: ['{kit,shop}/**/*.test.{ts,tsx}'],
          setupFiles: ['kit/testing/setup.ts', 'shop/testing/setup.ts'],
        },
      },
      {
        extends: true,
        test: {
          name: 'staff',
          include: ['staff/**/*.test.{ts,tsx}'],
          setupFiles: ['kit/testing/setup.ts', 'staff/testing/setup.ts'],
        },
      },
    ],
  },
}));
