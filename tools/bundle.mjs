// Builds dist/ of the workspace that it is run in: the programs that are named (`src/<name>.ts`), each with nearly all that it
// loads in a few files. Finding and opening six hundred small modules took four fifths of the processor time that loading a
// process takes.
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { rolldown } from 'rolldown';
import { ROOT, workspaces } from './prepare.mjs';

const WORKSPACE = process.cwd();
const DIST = join(WORKSPACE, 'dist');
const entries = process.argv.slice(2);

/**
 * Loaded from where they are installed: packages that few processes load and only on demand, and packages that look for
 * their own files.
 */
const INSTALLED =
  /^(@aws-sdk\/|@smithy\/|@opentelemetry\/|oidc-provider$|pg-native$|testcontainers$)/;

/** Our packages, from their sources: an earlier build says nothing about the current ones. */
const sources = {
  name: 'sources',
  resolveId(id, importer) {
    const [, name, inner = ''] = /^(@countersign\/[^/]+)(\/.*)?$/.exec(id) ?? [];
    if (name === undefined) return null;
    const source = sourceOf(name, `.${inner}`);
    if (source === undefined || !existsSync(source))
      throw new Error(`${importer} imports ${id}, which is not exported`);
    return source;
  },
};

const exported = new Map(
  workspaces().map((folder) => {
    const { name, exports = {} } = JSON.parse(
      readFileSync(join(ROOT, folder, 'package.json'), 'utf8'),
    );
    return [name, { folder: join(ROOT, folder), exports }];
  }),
);

function sourceOf(name, inner) {
  const { folder, exports } = exported.get(name) ?? { exports: {} };
  if (exports[inner] !== undefined) return join(folder, exports[inner].types);
  const pattern = Object.keys(exports).find(
    (path) => path.endsWith('*') && inner.startsWith(path.slice(0, -1)),
  );
  if (pattern === undefined) return undefined;
  return join(folder, exports[pattern].types.replace('*', inner.slice(pattern.length - 1)));
}

/**
 * `import.meta.url` has the value that it would have if each module were a file of its own: programs and pages are found
 * beside it.
 */
const places = {
  name: 'places',
  transform(code, id) {
    const path = relative(ROOT, id);
    if (!/^(packages|services|deploy|tools)\//.test(path) || !code.includes('import.meta.url'))
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
  input: Object.fromEntries(entries.map((name) => [name, join(WORKSPACE, 'src', `${name}.ts`)])),
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
