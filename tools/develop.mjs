#!/usr/bin/env node
// Commands for an instance of `npm start`, and the launcher's own; they are in src/commands.ts.
import { main } from './dist/commands.js';

await main(process.argv);
