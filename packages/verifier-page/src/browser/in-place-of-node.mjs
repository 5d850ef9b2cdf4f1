import { fileURLToPath } from 'node:url';

const file = (name) => fileURLToPath(new URL(name, import.meta.url));

/** What packages/protocol asks for and no browser has, and what Vite puts in its place (decisions/0010). */
export const IN_PLACE_OF_NODE = {
  'node:crypto': file('node-crypto.ts'),
  'ajv/dist/2020.js': file('interpreter.ts'),
};
