import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

/** The operators' page is a build of its own beside the storefront's: neither can make the other larger. */
export default defineConfig({
  plugins: [react()],
  publicDir: false,
  css: { modules: { generateScopedName: '_[hash:base64:5]' } },
  build: {
    target: 'es2022',
    emptyOutDir: false,
    manifest: '.vite/ops-manifest.json',
    cssCodeSplit: false,
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    rolldownOptions: {
      input: 'ops.html',
      output: {
        entryFileNames: 'assets/ops-[name]-[hash].js',
        chunkFileNames: 'assets/ops-[name]-[hash].js',
        // A stylesheet is this page's own; fonts are the storefront's and keep the names they have there.
        assetFileNames: ({ names }) =>
          names.some((name) => name.endsWith('.css'))
            ? 'assets/ops-[hash][extname]'
            : 'assets/[name]-[hash][extname]',
      },
    },
  },
});
