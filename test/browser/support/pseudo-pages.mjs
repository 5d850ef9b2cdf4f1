// The pages with every text of their catalogues changed: a plain letter that a reader sees in them stands outside of a catalogue.
// `node pseudo-pages.mjs DIR` builds them into that folder.
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

const PAGES = resolve(import.meta.dirname, '../../../packages/pages');
const load = (path) => import(pathToFileURL(path));
const { build } = await load(createRequire(join(PAGES, 'package.json')).resolve('vite'));
const { config } = await load(join(PAGES, 'vite.config.mjs'));

const ACCENTED = Object.fromEntries(
  [...'aábƀcçdðeéfƒgĝhĥiíjĵkķlļmɱnñoóp\u{1e57}qɋrŕsštţuúvṽwŵx\u{1e8b}yýzž'].reduce(
    (pairs, letter, at, all) => (at % 2 === 0 ? [...pairs, [letter, all[at + 1]]] : pairs),
    [],
  ),
);
/** Some third longer, as other languages are. */
const changed = (text) => {
  const accented = text.replaceAll(/[a-z]/gi, (letter) => {
    const small = ACCENTED[letter.toLowerCase()];
    return letter === letter.toLowerCase() ? small : small.toUpperCase();
  });
  return accented + (/\w{3}/.test(text) ? '~'.repeat(Math.ceil(text.length / 3)) : '');
};

/** The places of texts in the syntax tree: neither names of members, nor what values are compared with, nor looks. */
function textsIn(node, found = []) {
  if (node === null || typeof node !== 'object') return found;
  if (Array.isArray(node)) {
    for (const each of node) textsIn(each, found);
    return found;
  }
  if (node.type === 'ImportDeclaration' || node.type === 'BinaryExpression') return found;
  if (node.type === 'Literal' && typeof node.value === 'string') found.push(node);
  if (node.type === 'TemplateElement') found.push(node);
  if (node.type === 'Property') {
    if (node.key.name !== 'tone') textsIn(node.value, found);
    return found;
  }
  for (const [name, value] of Object.entries(node)) if (name !== 'parent') textsIn(value, found);
  return found;
}

const pseudo = {
  name: 'pseudo',
  enforce: 'post',
  transform(code, id) {
    if (!/[\\/](strings[\\/][\w-]+|app-host[\\/]failures)\.ts$/.test(id)) return null;
    let made = code;
    for (const node of textsIn(this.parse(code)).sort((a, b) => b.start - a.start)) {
      const text = node.type === 'Literal' ? node.value : node.value.raw;
      const put = node.type === 'Literal' ? JSON.stringify(changed(text)) : changed(text);
      made = made.slice(0, node.start) + put + made.slice(node.end);
    }
    return { code: made, map: null };
  },
};

await build({
  ...config,
  configFile: false,
  logLevel: 'warn',
  plugins: [...config.plugins, pseudo],
  build: { ...config.build, outDir: process.argv[2], emptyOutDir: true },
});
