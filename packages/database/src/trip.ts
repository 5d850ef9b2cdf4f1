import pg from 'pg';

/** How a connection reads the rows of a statement that it has prepared. */
export interface Prepared {
  parseRow(values: readonly unknown[]): object;
}

/** `types`: those of the pool. */
export function preparedOf(
  fields: readonly pg.FieldDef[],
  types: pg.CustomTypesConfig | undefined,
): Prepared {
  // What the client itself and its cursors read rows with, unknown to the types.
  const reader = new pg.Result('', types as typeof pg.types) as unknown as Prepared & {
    addFields(fields: readonly pg.FieldDef[]): void;
  };
  reader.addFields(fields);
  return reader;
}

/** A prepared statement on its way. */
export interface Passenger {
  readonly name: string;
  readonly values: readonly unknown[];
  readonly prepared: Prepared;
}

/** Rows, or why they could not be read. */
export type TripAnswer = { rows: object[] } | { unreadable: unknown };

/** The part of the client's connection that a query of one's own writes to. */
interface Wire {
  readonly stream: { cork(): void; uncork(): void };
  bind(of: { statement: string; values: readonly unknown[] }): void;
  execute(of: null): void;
  sync(): void;
}

const { prepareValue } = (pg as unknown as { utils: { prepareValue(value: unknown): unknown } })
  .utils;

/**
 * Prepared statements in one message and one implicit transaction: all of them happen, or none (PostgreSQL, "Pipelining" of
 * the extended query protocol). A query of one's own, as the client takes it; its rows need no description, because each
 * statement was prepared and described before.
 */
class Trip implements pg.Submittable {
  /** Given by the client: its limit of time ends in it too. */
  callback: (error?: unknown) => void;
  readonly answers: TripAnswer[];
  readonly #bound: readonly (readonly unknown[])[];
  #at = 0;

  /** Throws for a value that cannot be sent; nothing has been sent then. */
  constructor(
    private readonly passengers: readonly Passenger[],
    callback: (error?: unknown) => void,
    readonly query_timeout?: number,
  ) {
    this.callback = callback;
    this.#bound = passengers.map(({ values }) => values.map((value) => prepareValue(value)));
    this.answers = passengers.map(() => ({ rows: [] }));
  }

  submit(connection: unknown): void {
    const wire = connection as Wire;
    wire.stream.cork();
    for (const [place, { name }] of this.passengers.entries()) {
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
      answer.rows.push(this.passengers[this.#at]?.prepared.parseRow(fields) as object);
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
 * Takes the statements to the server and brings their answers, in their order, once all are committed. Rejects with the
 * server's error, nothing having happened, or with the client's, of which nobody knows what has.
 */
export function travel(
  client: pg.ClientBase,
  passengers: readonly Passenger[],
  timeoutMs?: number,
): Promise<TripAnswer[]> {
  return new Promise((resolve, reject) => {
    const arrived = (error?: unknown) =>
      error === undefined || error === null ? resolve(trip.answers) : reject(error);
    const trip = new Trip(passengers, arrived, timeoutMs);
    // Without a promise of the client's: spans are put about those.
    (client.query as (query: Trip, callback: () => void) => void).call(client, trip, () => {});
  });
}
