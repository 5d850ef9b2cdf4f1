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
// A reader that has seen enough, such as `head`, ends the command quietly, with the code of a program that SIGPIPE ended.
process.stdout.on('error', (error) => {
  if (error.code !== 'EPIPE') throw error;
  process.exit(141);
});
const { main } = await import(cli.href);
await main(process.argv);
