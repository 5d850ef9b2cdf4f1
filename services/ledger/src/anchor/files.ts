import { randomUUID } from 'node:crypto';
import { link, mkdir, open, readFile, readdir, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { textDigest } from '@countersign/protocol';
import type { AnchorAcceptance } from '@countersign/protocol';
import { AnchorError, RETENTION_MS, anchorKey } from './anchor-store.js';
import type { AnchorStore, CheckpointToAnchor } from './anchor-store.js';

const PREFIX = 'checkpoints';

/**
 * The development store: one file a checkpoint, made once and never opened for writing again. It stands apart from the
 * database but on the same machine, so it proves nothing to somebody who distrusts the machine's owner.
 */
export class FileAnchorStore implements AnchorStore {
  readonly #made = new Set<string>();

  constructor(private readonly directory: string) {}

  async accept(checkpoint: CheckpointToAnchor): Promise<AnchorAcceptance> {
    const key = anchorKey(PREFIX, checkpoint);
    const path = join(this.directory, key);
    await this.#folder(dirname(path));
    try {
      await create(path, checkpoint.text);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') {
        throw new AnchorError('anchor_unavailable', { cause: error });
      }
      if ((await readFile(path, 'utf8')) !== checkpoint.text) {
        throw new AnchorError('anchor_conflict');
      }
    }
    return {
      backend: 'files',
      key,
      version_id: '1',
      digest: textDigest(checkpoint.text),
      retained_until: new Date(checkpoint.issuedAt + RETENTION_MS).toISOString(),
    };
  }

  async history(ledgerId: string, generation: string) {
    const folder = join(this.directory, PREFIX, ledgerId, generation);
    let names: string[];
    try {
      names = await readdir(folder);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
      throw new AnchorError('anchor_unavailable', { cause: error });
    }
    const checkpoints = names.filter((name) => name.endsWith('.json')).sort();
    return Promise.all(
      checkpoints.map(async (name) => headIn(await readFile(join(folder, name), 'utf8'), name)),
    );
  }

  async #folder(path: string): Promise<void> {
    if (this.#made.has(path)) return;
    await mkdir(path, { recursive: true });
    this.#made.add(path);
  }
}

/**
 * On disk before anybody hears of it, and all of it or nothing: another replica that finds the name, or a start after a
 * crash, must never read half a checkpoint, which would be a conflict. Fails with EEXIST when the name is taken.
 */
async function create(path: string, text: string): Promise<void> {
  const draft = `${path}.${randomUUID()}.new`;
  try {
    const file = await open(draft, 'wx', 0o444);
    try {
      await file.writeFile(text);
      await file.sync();
    } finally {
      await file.close();
    }
    await link(draft, path);
  } finally {
    await rm(draft, { force: true });
  }
}

function headIn(text: string, name: string): { sequence: number; head: string } {
  try {
    const { payload } = JSON.parse(text) as { payload: { sequence: number; head: string } };
    if (Number(name.slice(0, -5)) === payload.sequence && typeof payload.head === 'string') {
      return { sequence: payload.sequence, head: payload.head };
    }
  } catch (error) {
    throw new AnchorError('anchor_history_invalid', { cause: error });
  }
  throw new AnchorError('anchor_history_invalid');
}
