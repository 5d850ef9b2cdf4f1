/**
 * Leaves out as much as it can of a list that fails, in ever smaller pieces, and gives the shortest that still fails.
 * `fails` plays a candidate; `enough` ends the search early.
 */
export async function shortest<T>(
  list: readonly T[],
  fails: (candidate: readonly T[]) => Promise<boolean>,
  enough: () => boolean,
): Promise<readonly T[]> {
  let kept = list;
  for (let size = Math.ceil(list.length / 2); size >= 1; size = Math.floor(size / 2)) {
    for (let end = kept.length; end > 0; end -= size) {
      if (enough()) return kept;
      const candidate = [...kept.slice(0, Math.max(0, end - size)), ...kept.slice(end)];
      if (await fails(candidate)) kept = candidate;
    }
  }
  // Steps that could not be left out before may be now.
  return kept.length < list.length ? shortest(kept, fails, enough) : kept;
}
