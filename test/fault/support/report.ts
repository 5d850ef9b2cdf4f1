/** A line of metrics in the run's output; jest would wrap the console's. */
export function report(line: string): void {
  process.stdout.write(`fault: ${line}\n`);
}

/** `grant_unavailable 31, claimed 1`, most frequent first. */
export function counted(counts: ReadonlyMap<string, number>): string {
  return [...counts]
    .sort((a, b) => b[1] - a[1])
    .map(([name, count]) => `${name} ${count}`)
    .join(', ');
}

export function count(counts: Map<string, number>, name: string): void {
  counts.set(name, (counts.get(name) ?? 0) + 1);
}

/** A whole number of the environment, for shorter and longer runs. */
export function amount(variable: string, usual: number): number {
  const given = process.env[variable];
  return given === undefined ? usual : Number(given);
}

export function seconds(sinceMs: number): string {
  return `${((performance.now() - sinceMs) / 1000).toFixed(1)} s`;
}
