import pg from 'pg';

/** How a connection reads the rows of a statement that it has prepared. */
export interface Prepared {
  parseRow(values: readonly unknown[]): object;
}

/** `types` are the pool's. */
export function preparedOf(
  fields: readonly pg.FieldDef[],
  types: pg.CustomTypesConfig | undefined,
): Prepared {
  // The client and its cursors read rows with these methods; the types do not declare them.
  const reader = new pg.Result('', types as typeof pg.types) as unknown as Prepared & {
    addFields(fields: readonly pg.FieldDef[]): void;
  };
  reader.addFields(fields);
  return reader;
}

/** A prepared statement of a batch. */
export interface BatchedStatement {
  readonly name: string;
  readonly values: readonly unknown[];
  readonly prepared: Prepared;
}

/** Rows, or why they could not be read. */
export type BatchAnswer = { rows: object[] } | { unreadable: unknown };

/** The part of the client's connection that a custom query writes to. */
interface Wire {
  readonly stream: { cork(): void; uncork(): void };
  bind(of: { statement: string; values: readonly unknown[] }): void;
  execute(of: null): void;
  sync(): void;
}

const { prepareValue } = (pg as unknown as { utils: { prepareValue(value: unknown): unknown } })
  .utils;

/**
 * Prepared statements in one message and one implicit transaction: all of them take effect, or none (PostgreSQL, extended
 * query protocol, "Pipelining"). It is a custom query of the client (`Submittable`). Its rows need no description, because
 * each statement was prepared and described before.
 */
class StatementBatch implements pg.Submittable {
  /** Set by the client, which also calls it when the time limit passes. */
  callback: (error?: unknown) => void;
  readonly answers: BatchAnswer[];
  readonly #bound: readonly (readonly unknown[])[];
  #at = 0;

  /** Throws for a value that cannot be sent; nothing has been sent then. */
  constructor(
    private readonly statements: readonly BatchedStatement[],
    callback: (error?: unknown) => void,
    readonly query_timeout?: number,
  ) {
    this.callback = callback;
    this.#bound = statements.map(({ values }) => values.map((value) => prepareValue(value)));
    this.answers = statements.map(() => ({ rows: [] }));
  }

  submit(connection: unknown): void {
    const wire = connection as Wire;
    wire.stream.cork();
    for (const [place, { name }] of this.statements.entries()) {
      wire.bind({ statement: name, values: this.#bound[place] ?? [] });
      wire.execute(null);
    }
    wire.sync();
    wire.stream.uncork();
  }

  handleDataRow({ fields }: { fields: readonly unknown[] }): void {
    const answer = this.answers[this.#at];
    if (answer === undefined || !('rows' in answer)) return;
    try {
      answer.rows.push(this.statements[this.#at]?.prepared.parseRow(fields) as object);
    } catch (error) {
      this.answers[this.#at] = { unreadable: error };
    }
  }

  handleCommandComplete(): void {
    this.#at += 1;
  }

  handleError(error: unknown): void {
    this.callback(error);
  }

  handleReadyForQuery(): void {
    this.callback();
  }
}

/**
 * Sends the statements and resolves with their answers, in their order, once all are committed. Rejects with the server's
 * error, in which case nothing has happened, or with the client's, in which case the outcome is unknown.
 */
export function sendBatch(
  client: pg.ClientBase,
  statements: readonly BatchedStatement[],
  timeoutMs?: number,
): Promise<BatchAnswer[]> {
  return new Promise((resolve, reject) => {
    const arrived = (error?: unknown) =>
      error === undefined || error === null ? resolve(batch.answers) : reject(error);
    const batch = new StatementBatch(statements, arrived, timeoutMs);
    // With a callback, because the client's promises are wrapped in spans.
    (client.query as (query: StatementBatch, callback: () => void) => void).call(
      client,
      batch,
      () => {},
    );
  });
}
