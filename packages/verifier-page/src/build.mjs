// Makes dist/verify.html and dist/evidence.html: each one file with everything in it, which works from a disk without any
// network. The second has an empty element for the document (packages/protocol/src/verifier/evidence-page.ts).
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { build } from 'vite';
import { IN_PLACE_OF_NODE } from './browser/in-place-of-node.mjs';

const path = (name) => fileURLToPath(new URL(name, import.meta.url));
const read = (name) => readFileSync(path(name), 'utf8').trim();

mkdirSync(path('../dist'), { recursive: true });
await make('verify.html', {
  template: 'page.html',
  entry: 'main.ts',
  styles: ['base.css', 'page.css'],
});
await make('evidence.html', {
  template: 'evidence.html',
  entry: 'evidence/main.ts',
  styles: ['base.css', 'page.css', 'evidence/evidence.css'],
});

async function make(name, { template, entry, styles }) {
  const script = await scriptOf(entry);
  const style = styles.map(read).join('\n');
  const policy =
    `default-src 'none'; script-src ${hash(script)}; style-src ${hash(style)}; ` +
    "base-uri 'none'; form-action 'none'";
  // Functions, because a text in a replacement may not say `$&`.
  const html = read(template)
    .replace('{{policy}}', () => policy)
    .replace('<!-- fields -->', () => read('fields.html'))
    .replace('<!-- report -->', () => read('report.html'))
    .replace('<!-- style -->', () => `<style>${style}</style>`)
    .replace('<!-- script -->', () => `<script>${script}</script>`);
  writeFileSync(path(`../dist/${name}`), `${html}\n`);
}

async function scriptOf(entry) {
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
      lib: { entry: path(entry), formats: ['iife'], name: 'verifier' },
    },
  });
  const { code } = bundle.output.find(({ type }) => type === 'chunk');
  // Nothing in it may end the element that holds it, or look like the element of a document.
  return code.replaceAll(/<(?=!--|\/?script)/gi, '\\x3c').trim();
}

function hash(text) {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
}
