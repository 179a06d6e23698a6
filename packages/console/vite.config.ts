import { join } from 'node:path';
import { defineConfig } from 'vite';

/** Builds the page; the server finds it in dist/web. */
export default defineConfig({
  root: join(import.meta.dirname, 'src', 'web'),
  base: '/console/',
  publicDir: false,
  logLevel: 'warn',
  build: {
    outDir: join(import.meta.dirname, 'dist', 'web'),
    emptyOutDir: true,
    target: ['chrome120', 'firefox128', 'safari17'],
    // The content security policy forbids what is inline.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    // Its figures say nothing to people who run `npm start`.
    rolldownOptions: { checks: { pluginTimings: false } },
  },
});
