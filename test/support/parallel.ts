/** Does a piece of work for each thing, at most `width` at a time; answers stand in the order of the things. */
export async function inParallel<T, R>(
  things: readonly T[],
  width: number,
  work: (thing: T, place: number) => Promise<R>,
): Promise<R[]> {
  const results: R[] = [];
  let next = 0;
  async function worker(): Promise<void> {
    while (next < things.length) {
      const place = next;
      next += 1;
      results[place] = await work(things[place] as T, place);
    }
  }
  await Promise.all(Array.from({ length: width }, worker));
  return results;
}
