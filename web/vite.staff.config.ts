import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';
import { classNames, postcss } from './vite.styles.ts';

/** The staff app is a build of their own beside the storefront's: neither can make the other larger. */
export default defineConfig({
  plugins: [react()],
  publicDir: false,
  css: { postcss, modules: { generateScopedName: classNames } },
  build: {
    target: 'es2022',
    emptyOutDir: false,
    manifest: '.vite/staff-manifest.json',
    cssCodeSplit: false,
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    rolldownOptions: {
      input: { app: 'staff.html' },
      output: {
        entryFileNames: 'assets/staff-[name]-[hash].js',
        chunkFileNames: 'assets/staff-[name]-[hash].js',
        // What every section needs of others' work, in one file: brotli leaves 4 KB less of it than of eight.
        codeSplitting: {
          groups: [
            {
              name: 'vendor',
              test: /web[\\/]kit[\\/]router[\\/]|node_modules[\\/](react|react-dom|scheduler|wouter|regexparam|openapi-fetch|@tanstack[\\/](query-core|react-query))[\\/](?!.*nfinite)/,
            },
          ],
        },
        // A stylesheet is these pages' own; fonts are the storefront's and keep the names they have there.
        assetFileNames: ({ names }) =>
          names.some((name) => name.endsWith('.css'))
            ? 'assets/staff-[hash][extname]'
            : 'assets/[name]-[hash][extname]',
      },
    },
  },
});
