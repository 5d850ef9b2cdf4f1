import { existsSync, readdirSync } from 'node:fs';
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { IN_PLACE_OF_NODE } from '@countersign/verifier-page/browser';
import { defineConfig } from 'vite';
import { lexerAlone } from './lexer-alone.mjs';

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
  plugins: [lexerAlone],
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
  worker: { format: 'es', plugins: () => [lexerAlone] },
});

/** The languages beside English: each has a folder of texts. */
export const translations = readdirSync(new URL('src/strings/', import.meta.url)).filter(
  (name) => !name.includes('.'),
);

/** The pages in another language: its texts in place of the English ones, into the same folder. */
export function inLanguage(language) {
  const inTexts = texts(language);
  return {
    ...config,
    plugins: [...config.plugins, inTexts],
    build: { ...config.build, emptyOutDir: false, manifest: `manifest.${language}.json` },
    worker: { ...config.worker, plugins: () => [...config.worker.plugins(), inTexts] },
  };
}

/** Takes `src/strings/<language>/<area>.ts` where a page imports `src/strings/<area>.ts`. */
function texts(language) {
  return {
    name: 'texts',
    enforce: 'pre',
    async resolveId(wanted, importer) {
      const found = await this.resolve(wanted, importer, { skipSelf: true });
      const area = found && /^strings[\\/]([\w-]+\.ts)$/.exec(relative(source, found.id));
      return area
        ? fileURLToPath(new URL(`src/strings/${language}/${area[1]}`, import.meta.url))
        : null;
    },
  };
}

export default config;
