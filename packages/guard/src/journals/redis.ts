import { JournalInvalid } from '../errors.js';
import { changed } from '../journal.js';
import type { Change, Entry, EntryState, Journal } from '../journal.js';

/** A client of `ioredis`, as far as the journal uses it. */
export interface RedisClient {
  get(key: string): Promise<string | null>;
  set(key: string, value: string, condition: 'NX'): Promise<unknown>;
  eval(script: string, keys: number, ...values: string[]): Promise<unknown>;
  scan(cursor: string, match: 'MATCH', pattern: string): Promise<[string, string[]]>;
  del(key: string): Promise<unknown>;
}

/** Puts a value in the place of the one that was read, and of no other. */
const REPLACE = `if redis.call('GET', KEYS[1]) == ARGV[1] then
  redis.call('SET', KEYS[1], ARGV[2])
  return 1
end
return 0`;

/**
 * A journal in Redis. It shares plans and results between processes, and proves nothing: Redis may forget what it took. So a
 * launch that another process may have made counts as unseen.
 *
 * @param client of `ioredis`; the program ends it
 * @param prefix of its keys
 */
export function redisJournal(client: RedisClient, prefix = 'countersign:guard:'): Journal {
  const nameOf = (key: string) => prefix + key;

  async function stored(key: string): Promise<[text: string, entry: Entry] | null> {
    const text = await client.get(nameOf(key));
    if (text === null) return null;
    try {
      return [text, JSON.parse(text) as Entry];
    } catch (cause) {
      throw new JournalInvalid(nameOf(key), 'is no entry: remove it', cause);
    }
  }
  const read = async (key: string) => (await stored(key))?.[1] ?? null;

  const journal: Journal = {
    durable: false,
    async open(key, plan, state: EntryState) {
      const entry: Entry = { ...state, key, version: 1, plan };
      await client.set(nameOf(key), JSON.stringify(entry), 'NX');
      return (await read(key)) ?? entry;
    },
    read,
    async advance(key, from, change: Change) {
      const found = await stored(key);
      if (found === null || found[1].version !== from) return null;
      const next = changed(found[1], change);
      const isTaken = await client.eval(REPLACE, 1, nameOf(key), found[0], JSON.stringify(next));
      return Number(isTaken) === 1 ? next : null;
    },
    hold: () => Promise.resolve(null),
    async *entries({ open = false } = {}) {
      let cursor = '0';
      const seen = new Set<string>();
      do {
        const [next, names] = await client.scan(cursor, 'MATCH', `${prefix}*`);
        cursor = next;
        for (const name of names) {
          const key = name.slice(prefix.length);
          if (seen.has(key)) continue;
          seen.add(key);
          const entry = await read(key);
          if (entry !== null && (!open || entry.closed === null)) yield entry;
        }
      } while (cursor !== '0');
    },
    async prune(before) {
      let count = 0;
      for await (const { key, closed } of journal.entries()) {
        if (closed === null || Date.parse(closed.at) >= before.getTime()) continue;
        await client.del(nameOf(key));
        count += 1;
      }
      return count;
    },
  };
  return journal;
}
