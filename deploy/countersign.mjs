#!/usr/bin/env node
// The command `countersign`; its commands are in src/cli.
import { existsSync } from 'node:fs';

const cli = new URL('./dist/cli/main.js', import.meta.url);
if (!existsSync(cli)) {
  console.error(
    'countersign: nothing is built here yet; run `npm start`, or `npm ci` and `npm run build`, first.',
  );
  process.exit(1);
}
const { main } = await import(cli.href);
await main(process.argv);
