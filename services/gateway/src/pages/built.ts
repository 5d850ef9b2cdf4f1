import { readFileSync } from 'node:fs';
import { BUILT_PAGES } from './folder.js';
import type { Language } from './language.js';

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
type Chunks = Readonly<Record<string, Chunk>>;
const known = new Map<Language, Chunks>();

function chunksIn(language: Language): Chunks {
  const read = known.get(language);
  if (read !== undefined) return read;
  const manifest = language === 'en' ? 'manifest.json' : `manifest.${language}.json`;
  const chunks = JSON.parse(readFileSync(new URL(manifest, BUILT_PAGES), 'utf8')) as Chunks;
  known.set(language, chunks);
  return chunks;
}

function chunkOf(source: string, language: Language = 'en'): Chunk {
  const chunk = chunksIn(language)[source];
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
export function filesOf(name: string, language: Language): PageFiles {
  const entry = chunkOf(`src/${name}/main.tsx`, language);
  const seen = new Map<string, Chunk>();
  const follow = ({ imports = [] }: Chunk): void => {
    for (const source of imports) {
      if (seen.has(source)) continue;
      const chunk = chunkOf(source, language);
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
