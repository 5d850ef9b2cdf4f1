import { readFileSync } from 'node:fs';
import { BUILT_PAGES } from './folder.js';

/** The build output of the pages (packages/pages/vite.config.mjs): their files, by their sources. */
interface Chunk {
  readonly file: string;
  readonly imports?: readonly string[];
  readonly css?: readonly string[];
}

/** The addresses that one page needs at once. */
export interface PageFiles {
  readonly script: string;
  /** The imports of the script, so that the browser need not find out one after the other. */
  readonly preload: readonly string[];
  readonly styles: readonly string[];
}

const THEME = 'src/theme/theme.css';
const ICON = 'src/theme/icon.svg';
const manifest = new URL('manifest.json', BUILT_PAGES);

let known: Readonly<Record<string, Chunk>> | null = null;

function chunks(): Readonly<Record<string, Chunk>> {
  known ??= JSON.parse(readFileSync(manifest, 'utf8')) as Record<string, Chunk>;
  return known;
}

function chunkOf(source: string): Chunk {
  const chunk = chunks()[source];
  if (!chunk) throw new Error(`${source} is not among the built pages: run npm run build`);
  return chunk;
}

/** The address of the stylesheet that every page has. */
export function themeAddress(): string {
  return `/${chunkOf(THEME).file}`;
}

/** The address of the icon that every page begins with. */
export function iconAddress(): string {
  return `/${chunkOf(ICON).file}`;
}

/** The files of `packages/pages/src/<name>/main.tsx`. Throws when the pages are not built. */
export function filesOf(name: string): PageFiles {
  const entry = chunkOf(`src/${name}/main.tsx`);
  const seen = new Map<string, Chunk>();
  const follow = ({ imports = [] }: Chunk): void => {
    for (const source of imports) {
      if (seen.has(source)) continue;
      const chunk = chunkOf(source);
      seen.set(source, chunk);
      follow(chunk);
    }
  };
  follow(entry);
  const all = [entry, ...seen.values()];
  return {
    script: `/${entry.file}`,
    preload: [...seen.values()].map(({ file }) => `/${file}`),
    styles: [...new Set(all.flatMap(({ css = [] }) => css))].map((file) => `/${file}`),
  };
}
