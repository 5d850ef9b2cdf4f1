import { createHash, randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readFile, readdir, rm, stat, statfs, unlink } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';

import { JournalInvalid } from '../errors.js';
import { changed } from '../journal.js';
import type { Change, Entry, EntryState, Hold, Journal } from '../journal.js';
import { takeHold } from './file-hold.js';
import { NODE } from './process.js';
import { sync, writeOnce } from './written.js';

/** An entry as a file has it: the plan, which is large and private, is one of its own. */
type Kept = Omit<Entry, 'plan'> & { readonly planFile: string | null };

const STATE = /^state-(\d{8})$/;
const PLAN = /^plan-([a-f0-9]{64})$/;
/** File systems whose files other machines write too: no lock of this kernel holds there. */
const SHARED: ReadonlyMap<number, string> = new Map([
  [0x6969, 'NFS'],
  [0xff534d42, 'CIFS'],
  [0xfe534d42, 'SMB'],
  [0x517b, 'SMB'],
  [0x01021997, '9p'],
  [0x00c36400, 'Ceph'],
  [0x0bd00bd0, 'Lustre'],
  [0x01161970, 'GFS2'],
  [0x6a656a63, 'virtiofs'],
  [0x65735546, 'FUSE'],
]);

/**
 * A journal of files on a disk of this machine: one folder for each occurrence, for its owner alone. A change is a new file
 * that is complete and synchronised before it has its name; a fence is a file that can be made once.
 *
 * @throws JournalInvalid, when it is used, for a folder on a shared file system, and for damage
 */
export function fileJournal(folder: string): Journal {
  const root = resolve(folder);
  let prepared: Promise<void> | null = null;

  async function prepare(): Promise<void> {
    await makeFolder(root);
    const kind = SHARED.get((await statfs(root)).type >>> 0);
    if (kind !== undefined)
      throw new JournalInvalid(root, `is on ${kind}: choose a disk of this machine, or Postgres`);
  }
  const ready = () => (prepared ??= prepare());
  const folderOf = (key: string) => join(root, key);

  async function read(key: string): Promise<Entry | null> {
    await ready();
    const newest = newestOf(await namesIn(folderOf(key)));
    if (newest === null) return null;
    const at = join(folderOf(key), newest);
    const { planFile, ...state } = parse(await readFile(at, 'utf8'), at);
    return { ...state, plan: await planIn(key, planFile) };
  }

  async function planIn(key: string, name: string | null): Promise<string | null> {
    if (name === null) return null;
    const at = join(folderOf(key), name);
    const text = await readFile(at, 'utf8').catch(missing);
    if (text !== null && name !== planName(text)) throw damaged(at);
    return text;
  }

  async function write({ plan, ...state }: Entry): Promise<boolean> {
    const at = folderOf(state.key);
    const planFile = plan === null ? null : planName(plan);
    if (plan !== null && planFile !== null) await writeOnce(at, planFile, plan);
    const kept: Kept = { ...state, planFile };
    const text = JSON.stringify({ digest: digestOf(JSON.stringify(kept)), entry: kept });
    const isNew = await writeOnce(at, stateName(state.version), text);
    if (isNew && plan === null) await dropPlans(at);
    return isNew;
  }

  /** Removes the plans that are void. States stay until `prune`: a name that was free again would not tell a late writer. */
  async function dropPlans(at: string): Promise<void> {
    for (const name of await namesIn(at))
      if (PLAN.test(name)) await unlink(join(at, name)).catch(missing);
  }

  const journal: Journal = {
    durable: true,
    async open(key, plan, state: EntryState) {
      await ready();
      const found = await read(key);
      if (found !== null) return found;
      await mkdir(folderOf(key), { mode: 0o700 }).catch((fault: NodeJS.ErrnoException) => {
        if (fault.code !== 'EEXIST') throw fault;
      });
      await sync(root);
      const entry: Entry = { ...state, key, version: 1, plan };
      if (await write(entry)) return entry;
      return (await read(key)) as Entry;
    },
    read,
    async advance(key, from, change: Change) {
      const entry = await read(key);
      if (entry === null || entry.version !== from) return null;
      const next = changed(entry, change);
      return (await write(next)) ? next : null;
    },
    async hold(key): Promise<Hold | null> {
      await ready();
      const at = folderOf(key);
      const held = await takeHold(at);
      if (held === null) return null;
      return {
        ...held,
        place: await placeOf(at),
        provesDeath: true,
        async fence() {
          if (!held.isHeld()) throw new JournalInvalid(at, 'is no longer held by this process');
          return writeOnce(at, 'fence', JSON.stringify({ pid: process.pid, boot: NODE.boot }));
        },
        async isFenced() {
          return (await namesIn(at)).includes('fence');
        },
      };
    },
    async *entries({ open = false } = {}) {
      await ready();
      for (const key of (await readdir(root)).sort()) {
        const entry = await read(key);
        if (entry === null) continue;
        // A process may have died between the two.
        if (entry.closed !== null) await dropPlans(folderOf(key));
        if (!open || entry.closed === null) yield entry;
      }
    },
    async prune(before) {
      let count = 0;
      for await (const { key, closed } of journal.entries()) {
        if (closed === null || Date.parse(closed.at) >= before.getTime()) continue;
        await rm(folderOf(key), { recursive: true, force: true });
        count += 1;
      }
      return count;
    },
  };
  return journal;
}

/**
 * Which folder this is: a copy is another one, and so is the same disk after another start. A copy that takes the place of a
 * folder may get its number from the file system, so the time at which it was made counts too. Where that time is not known,
 * every hold has a place of its own, and no launch is taken over.
 */
async function placeOf(folder: string): Promise<string> {
  const { dev, ino, birthtimeNs } = await stat(folder, { bigint: true });
  return [NODE.boot, dev, ino, birthtimeNs === 0n ? randomUUID() : birthtimeNs].join(':');
}

/** Not by `recursive`, which never ends where the system refuses a folder as one that is not there. */
async function makeFolder(path: string): Promise<void> {
  try {
    await mkdir(path, { mode: 0o700 });
  } catch (fault) {
    const { code } = fault as NodeJS.ErrnoException;
    if (code === 'EEXIST') return;
    const parent = dirname(path);
    if (code !== 'ENOENT' || existsSync(parent))
      throw new JournalInvalid(path, 'cannot be made: choose another folder', fault);
    await makeFolder(parent);
    await makeFolder(path);
  }
}

const stateName = (version: number) => `state-${String(version).padStart(8, '0')}`;

const planName = (text: string) => `plan-${digestOf(text)}`;

function parse(text: string, at: string): Kept {
  try {
    const { digest, entry } = JSON.parse(text) as { digest: string; entry: Kept };
    if (digest === digestOf(JSON.stringify(entry))) return entry;
  } catch {
    // As below.
  }
  throw damaged(at);
}

function damaged(path: string): JournalInvalid {
  return new JournalInvalid(
    path,
    'is damaged: restore it, or move its folder away and lose the occurrence',
  );
}

function newestOf(names: readonly string[]): string | null {
  return (
    names
      .filter((name) => STATE.test(name))
      .sort()
      .at(-1) ?? null
  );
}

function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

async function namesIn(folder: string): Promise<string[]> {
  return (await readdir(folder).catch(missing)) ?? [];
}

function missing(fault: NodeJS.ErrnoException): null {
  if (fault.code === 'ENOENT') return null;
  throw fault;
}
