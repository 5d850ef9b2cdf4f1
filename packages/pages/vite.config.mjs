import { existsSync, readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { IN_PLACE_OF_NODE } from '@countersign/verifier-page/browser';
import { defineConfig } from 'vite';

const source = fileURLToPath(new URL('src/', import.meta.url));
// One entry for each page: src/<page>/main.tsx. The gateway finds their files in the manifest (src/pages/shell.ts).
const pages = readdirSync(source)
  .map((name) => `src/${name}/main.tsx`)
  .filter((path) => existsSync(fileURLToPath(new URL(path, import.meta.url))));

export const config = defineConfig({
  root: fileURLToPath(new URL('.', import.meta.url)),
  base: '/',
  publicDir: false,
  appType: 'custom',
  // Of the verifier in its worker (decisions/0010).
  resolve: { alias: IN_PLACE_OF_NODE },
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  build: {
    outDir: 'dist',
    emptyOutDir: true,
    manifest: 'manifest.json',
    target: 'es2022',
    // Everything is a file of its own: the content security policy knows neither data: nor inline code.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    rollupOptions: { input: [...pages, 'src/theme/theme.css'] },
  },
  worker: { format: 'es' },
});

export default config;
