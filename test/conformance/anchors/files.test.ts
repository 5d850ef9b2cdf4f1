import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { FileAnchorStore } from '@countersign/ledger';
import { anchorStoreSuite } from './suite.js';

describe('an anchor store of files', () => {
  const directory = mkdtempSync(join(tmpdir(), 'countersign-anchor-'));
  afterAll(() => rmSync(directory, { recursive: true }));
  anchorStoreSuite(() => ({
    prefix: 'checkpoints',
    open: async () => new FileAnchorStore(directory),
    async plant(key, text) {
      mkdirSync(dirname(join(directory, key)), { recursive: true });
      writeFileSync(join(directory, key), text);
    },
  }));
});
