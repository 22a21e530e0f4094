import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';
import { classNames, postcss } from './vite.styles.ts';

// The same pages as one script, for the engine that renders them inside the server.
export default defineConfig({
  plugins: [react()],
  css: { postcss, modules: { generateScopedName: classNames } },
  resolve: {
    conditions: ['browser', 'module', 'import', 'default'],
    alias: { 'react-dom/server': 'react-dom/server.browser' },
  },
  ssr: { noExternal: true, target: 'webworker' },
  define: { 'process.env.NODE_ENV': '"production"' },
  build: {
    ssr: 'shop/entry-server.tsx',
    outDir: 'dist/.vite',
    emptyOutDir: false,
    copyPublicDir: false,
    // The engine knows private fields. What older targets make of them, values in a WeakMap that hold its keys, it never frees.
    target: 'es2023',
    minify: true,
    assetsInlineLimit: 0,
    reportCompressedSize: false,
    rolldownOptions: {
      output: { format: 'iife', name: 'storefront', codeSplitting: false, entryFileNames: 'server.js' },
    },
  },
});
