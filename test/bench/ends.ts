/** Functions that undo the start, last first. */
export type Ends = (() => Promise<void> | void)[];

/** Undoes everything, even after failures; resolves to the failures. */
export async function endAll(ends: Ends): Promise<unknown[]> {
  const failures: unknown[] = [];
  for (let end = ends.pop(); end !== undefined; end = ends.pop()) {
    try {
      await end();
    } catch (error) {
      failures.push(error);
    }
  }
  return failures;
}
