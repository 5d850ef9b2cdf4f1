import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';

const manifest = createRequire(import.meta.url).resolve('@countersign/pages/package.json');

/** The folder that the pages are built into (packages/pages). */
export const BUILT_PAGES = new URL('dist/', pathToFileURL(manifest));
