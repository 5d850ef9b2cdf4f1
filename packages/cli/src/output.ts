/** The result, for programs: one JSON object on one line of stdout. */
export function printJson(value: object): void {
  process.stdout.write(`${JSON.stringify(value)}\n`);
}

export function printValue(value: unknown): void {
  process.stdout.write(`${JSON.stringify(value, null, 2)}\n`);
}
