/** Prints the steps of the demonstration, numbered, each with its main facts. */
export interface Narrator {
  /** Does one step, then prints it; `tell` returns the lines of detail. */
  step<T>(
    title: string,
    work: () => Promise<T> | T,
    tell: (result: T) => readonly string[],
  ): Promise<T>;
}

export function newNarrator(say: (line: string) => void): Narrator {
  let number = 0;
  return {
    async step(title, work, tell) {
      number += 1;
      const start = performance.now();
      const result = await work();
      const took = `${(performance.now() - start).toFixed(0)} ms`;
      say(`${String(number).padStart(2)}. ${title} (${took})`);
      for (const line of tell(result)) say(`      ${line}`);
      return result;
    },
  };
}
