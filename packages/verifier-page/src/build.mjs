// Makes dist/verify.html: one file with everything in it, which works from a disk without any network.
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { build } from 'vite';
import { IN_PLACE_OF_NODE } from './browser/in-place-of-node.mjs';

const path = (name) => fileURLToPath(new URL(name, import.meta.url));
const read = (name) => readFileSync(path(name), 'utf8');

const [bundle] = await build({
  configFile: false,
  root: path('.'),
  logLevel: 'warn',
  resolve: {
    alias: {
      ...IN_PLACE_OF_NODE,
      // From its source: an earlier build says nothing about the current one.
      '@countersign/protocol/verifier': path('../../protocol/src/verifier/index.ts'),
    },
  },
  build: {
    write: false,
    target: 'es2022',
    lib: { entry: path('main.ts'), formats: ['iife'], name: 'verifier' },
  },
});
const code = bundle.output.find(({ type }) => type === 'chunk').code;
// Nothing in it may end the element that holds it.
const script = code
  .replaceAll(/<\/(?=script)/gi, '<\\/')
  .replaceAll('<!--', '\\x3c!--')
  .trim();
const style = read('page.css').trim();

const hash = (text) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
const policy =
  `default-src 'none'; script-src ${hash(script)}; style-src ${hash(style)}; ` +
  "base-uri 'none'; form-action 'none'";

// Functions, because a text in a replacement may not say `$&`.
const html = read('page.html')
  .replace('{{policy}}', () => policy)
  .replace('<!-- style -->', () => `<style>${style}</style>`)
  .replace('<!-- script -->', () => `<script>${script}</script>`);
mkdirSync(path('../dist'), { recursive: true });
writeFileSync(path('../dist/verify.html'), html);
