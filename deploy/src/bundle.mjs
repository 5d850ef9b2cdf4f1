// Builds dist/: the programs of this workspace, each with nearly all that it loads in a few files. Finding and opening six
// hundred small modules took four fifths of the processor time that loading a process takes.
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';

const SOURCE = dirname(fileURLToPath(import.meta.url));
const ROOT = join(SOURCE, '..', '..');
const DIST = join(SOURCE, '..', 'dist');

/** What is run, or imported by its path. */
const ENTRIES = [
  'main',
  'cli/main',
  'launcher/index',
  'launcher/orphan',
  // Of the scripts for developers in the folder above.
  'index',
  'database',
  'launcher/debian',
  'program-of-image',
  'demo/person',
];

/** Loaded from where they are installed: what few processes load and only when they need it, and what looks for its own files. */
const INSTALLED = /^(@aws-sdk\/|@smithy\/|@opentelemetry\/|@prisma\/|oidc-provider$|pg-native$)/;

/** Our packages, from their sources: what was built before says nothing of what they are now. */
const sources = {
  name: 'sources',
  resolveId(id, importer) {
    const [, name, inner = ''] = /^@countersign\/([^/]+)(\/.*)?$/.exec(id) ?? [];
    if (name === undefined) return null;
    const folder = ['packages', 'services']
      .map((parent) => join(ROOT, parent, name))
      .find((path) => existsSync(path));
    const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    const source = manifest.exports[`.${inner}`]?.types;
    if (source === undefined) throw new Error(`${importer} imports ${id}, which is not exported`);
    return join(folder, source);
  },
};

/** `import.meta.url` says what it would if each module were a file of its own: programs and pages are found beside it. */
const places = {
  name: 'places',
  transform(code, id) {
    const path = relative(ROOT, id);
    if (!/^(packages|services|deploy)\//.test(path) || !code.includes('import.meta.url'))
      return null;
    const place = path.replace('/src/', '/dist/').replace(/\.ts$/, '.js');
    const url = `new URL("@place/${place}", import.meta.url).href`;
    return { code: code.replaceAll('import.meta.url', url), map: null };
  },
  generateBundle(_, files) {
    for (const file of Object.values(files)) {
      const folder = dirname(join(DIST, file.fileName));
      const fromHere = (_, place) => JSON.stringify(relative(folder, join(ROOT, place)));
      if (file.type === 'chunk') file.code = file.code.replaceAll(/"@place\/([^"]+)"/g, fromHere);
    }
  },
};

const bundle = await rolldown({
  input: Object.fromEntries(ENTRIES.map((name) => [name, join(SOURCE, `${name}.ts`)])),
  cwd: ROOT,
  platform: 'node',
  external: INSTALLED,
  plugins: [sources, places],
});
rmSync(DIST, { recursive: true, force: true });
await bundle.write({
  dir: DIST,
  format: 'esm',
  entryFileNames: '[name].js',
  chunkFileNames: 'chunks/[name].js',
  sourcemap: true,
});
