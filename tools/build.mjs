#!/usr/bin/env node
// `npm run build`: installs the packages of a changed lock, then builds the changed workspaces.
import { Missing, prepare } from './prepare.mjs';

try {
  await prepare();
} catch (error) {
  if (!(error instanceof Missing)) throw error;
  console.error(error.message);
  process.exit(1);
}
