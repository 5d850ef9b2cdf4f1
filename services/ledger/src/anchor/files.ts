import { randomUUID } from 'node:crypto';
import { closeSync, fsync, linkSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { mkdir, readFile, readdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { textDigest } from '@countersign/protocol';
import type { AnchorAcceptance } from '@countersign/protocol';
import { AnchorError, MOST_KEPT, RETENTION_MS, anchorKey, headIn } from './anchor-store.js';
import type { AnchorStore, CheckpointToAnchor, KeptCheckpoint } from './anchor-store.js';

const sync = promisify(fsync);

/**
 * The development store: one file a checkpoint, made once and never opened for writing again. It is separate from the
 * database but on the same machine, so it proves nothing to a verifier who distrusts the machine's owner.
 */
export class FileAnchorStore implements AnchorStore {
  readonly #made = new Set<string>();

  /** `prefix`: the folder below the directory, `checkpoints` or `security`. */
  constructor(
    private readonly directory: string,
    private readonly prefix = 'checkpoints',
  ) {}

  async check(): Promise<void> {
    await mkdir(join(this.directory, this.prefix), { recursive: true, mode: 0o700 });
  }

  async accept(checkpoint: CheckpointToAnchor): Promise<AnchorAcceptance> {
    const key = anchorKey(this.prefix, checkpoint);
    const path = join(this.directory, key);
    try {
      await this.#folder(dirname(path));
      await create(path, checkpoint.text);
    } catch (error) {
      if (codeOf(error) !== 'EEXIST') throw unavailable(error);
      if ((await textIn(path)) !== checkpoint.text) throw new AnchorError('anchor_conflict');
    }
    return {
      backend: 'files',
      key,
      version_id: '1',
      digest: textDigest(checkpoint.text),
      retained_until: new Date(checkpoint.issuedAt + RETENTION_MS).toISOString(),
    };
  }

  async history(ledgerId: string, generation: string): Promise<KeptCheckpoint[]> {
    const { folder, names } = await this.#names(ledgerId, generation);
    return Promise.all(names.map((name) => keptIn(folder, name)));
  }

  async since(ledgerId: string, generation: string, sequence: number): Promise<KeptCheckpoint[]> {
    const { folder, names } = await this.#names(ledgerId, generation);
    const from = names.filter((name) => Number(name.slice(0, -5)) >= sequence);
    return Promise.all(from.slice(0, MOST_KEPT).map((name) => keptIn(folder, name)));
  }

  async #names(ledgerId: string, generation: string) {
    const folder = join(this.directory, this.prefix, ledgerId, generation);
    let names: string[];
    try {
      names = await readdir(folder);
    } catch (error) {
      if (codeOf(error) !== 'ENOENT') throw unavailable(error);
      names = [];
    }
    return { folder, names: names.filter((name) => name.endsWith('.json')).sort() };
  }

  async #folder(path: string): Promise<void> {
    if (this.#made.has(path)) return;
    await mkdir(path, { recursive: true, mode: 0o700 });
    this.#made.add(path);
  }
}

/**
 * On disk before anybody hears of it, and all of it or nothing: another replica that finds the name, or a start after a
 * crash, must never read half a checkpoint, which would be a conflict. Fails with EEXIST when the name is taken.
 *
 * Only the disk is awaited. The other calls take microseconds, and each that was awaited would cost a turn of a busy process.
 */
async function create(path: string, text: string): Promise<void> {
  const draft = `${path}.${randomUUID()}.new`;
  const file = openSync(draft, 'wx', 0o444);
  try {
    writeFileSync(file, text);
    await sync(file);
    linkSync(draft, path);
  } finally {
    closeSync(file);
    rmSync(draft, { force: true });
  }
}

async function keptIn(folder: string, name: string): Promise<KeptCheckpoint> {
  return headIn(await textIn(join(folder, name)), name);
}

async function textIn(path: string): Promise<string> {
  return readFile(path, 'utf8').catch((error: unknown) => {
    throw unavailable(error);
  });
}

const codeOf = (error: unknown) => (error as NodeJS.ErrnoException).code;

/** A folder that is not there, not ours, full or broken: the ledger waits for it, and says so. */
const unavailable = (cause: unknown) => new AnchorError('anchor_unavailable', { cause });
