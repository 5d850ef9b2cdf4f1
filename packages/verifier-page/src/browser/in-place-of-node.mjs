import { fileURLToPath } from 'node:url';

const file = (name) => fileURLToPath(new URL(name, import.meta.url));

/** The imports of packages/protocol that no browser has, and their replacements by Vite (decisions/0010). */
export const IN_PLACE_OF_NODE = {
  'node:crypto': file('node-crypto.ts'),
  'ajv/dist/2020.js': file('interpreter.ts'),
};

/** The module that exports `Buffer`, for bundles that may not change the globals of the program that they are part of. */
export const BUFFER = file('bytes.ts');
