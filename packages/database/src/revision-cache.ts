import { StaleRead } from './fresh-state.js';

/** A part of a tenant's directory, as it was read. */
export interface AtRevision<T> {
  readonly revision: number;
  readonly value: T;
}

/**
 * Parts of tenants' directories, each at one directory revision. Remembered between calls: a transition that was decided on an
 * older revision cannot commit, so a stale entry costs one more read and never a wrong answer.
 */
export class RevisionCache<T> {
  readonly #entries = new Map<string, AtRevision<T>>();

  constructor(private readonly most: number) {}

  /**
   * The part with these names at a revision; `read` answers undefined when there is no such tenant, and null is returned then.
   * Throws {@link StaleRead} when the directory moved meanwhile: the caller's other facts are older.
   */
  async of(
    names: readonly string[],
    revision: number,
    read: () => Promise<AtRevision<T> | undefined>,
  ): Promise<T | null> {
    // Parts that cannot be confused: ["a:b","c"] and ["a","b:c"] differ.
    const key = names.join('\u0000');
    const known = this.#entries.get(key);
    if (known?.revision === revision) return known.value;
    const found = await read();
    if (found === undefined) return null;
    if (this.#entries.size >= this.most) this.#entries.clear();
    this.#entries.set(key, found);
    if (found.revision !== revision) throw new StaleRead('directory');
    return found.value;
  }
}
