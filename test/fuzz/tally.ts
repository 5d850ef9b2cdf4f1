import { OPERATIONS, isErrorCode } from '@countersign/protocol';
import type { OperationName } from '@countersign/protocol';
import type { Answer } from '../support/client.js';
import { declaredCodes } from '../support/openapi.js';

/** Counts of answers: they show the coverage of a run. */
export class Tally {
  calls = 0;
  /** Refusals of which it was looked up in the database that they changed nothing. */
  watched = 0;
  replays = 0;
  readonly #statuses = new Map<string, Map<number, number>>();
  readonly #codes = new Map<string, number>();

  count(operation: OperationName, { status, body }: Answer): void {
    this.calls += 1;
    const own = this.#statuses.get(operation) ?? new Map<number, number>();
    this.#statuses.set(operation, own.set(status, (own.get(status) ?? 0) + 1));
    const code: unknown = body?.error;
    if (status >= 400 && isErrorCode(code)) {
      this.#codes.set(code, (this.#codes.get(code) ?? 0) + 1);
    }
  }

  /** Operations that never succeeded. */
  neverSucceeded(): OperationName[] {
    return OPERATIONS.map(({ name }) => name).filter((name) =>
      [...(this.#statuses.get(name)?.keys() ?? [])].every((status) => status >= 300),
    );
  }

  table(): string {
    const statuses = [...new Set([...this.#statuses.values()].flatMap((own) => [...own.keys()]))];
    statuses.sort((a, b) => a - b);
    const cell = (value: string | number) => String(value).padStart(7);
    const head = `${'  # operation'.padEnd(42)}${statuses.map(cell).join('')}`;
    const lines = OPERATIONS.map(({ number, name }) => {
      const own = this.#statuses.get(name);
      const cells = statuses.map((status) => cell(own?.get(status) ?? '·')).join('');
      return `${String(number).padStart(3)} ${name.padEnd(38)}${cells}`;
    });
    const codes = [...this.#codes].sort((a, b) => b[1] - a[1]);
    return [
      head,
      ...lines,
      '',
      `${codes.length} codes: ${codes.map(([code, count]) => `${code} ${count}`).join(', ')}`,
      `never: ${declaredCodes()
        .filter((code) => !this.#codes.has(code))
        .join(', ')}`,
      `${this.calls} calls, ${this.watched} refusals watched for effects, ${this.replays} answers asked for again`,
    ].join('\n');
  }
}
