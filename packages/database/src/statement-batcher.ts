import { setImmediate as turnOfTheLoop } from 'node:timers/promises';
import type pg from 'pg';
import { ENTER, enterStatement } from './scope.js';
import type { Scope, ScopedConnections } from './scope.js';
import { preparedOf, sendBatch } from './statement-batch.js';
import type { BatchedStatement, Prepared } from './statement-batch.js';
import { isUndone } from './undone.js';
import type { AroundStatement } from './watched-statements.js';

export interface PreparedStatement {
  /** Prepared under this name on each connection. */
  readonly name: string;
  readonly text: string;
  readonly values: readonly unknown[];
}

/** A statement that reads or writes a few rows by their keys, and so may share a batch with those of other callers. */
export interface PointQuery extends PreparedStatement {
  /** A statement that says otherwise is none. */
  readonly pointQuery?: true;
  /** Names the rows that it locks, where it writes. The statements of a batch lock in the order of these names. */
  readonly holds?: string | undefined;
  /** Longest wait for the answer, ms, where it is not the pool's. */
  readonly query_timeout?: number | undefined;
}

/** Statements of one batch: as many as arrive during one batch, and few enough that none waits long for the others. */
const MAX_BATCH = 16;
/** A statement that has waited this long for batches under way gets another connection. */
const MAX_WAIT_MS = 10;
/** Characters and bytes of values: a statement with longer ones is sent alone, so that no other waits for it. */
const MAX_VALUES = 65_536;

/** A batch that waits for a lock is undone, and the statement that needs it waits alone. Far less than `deadlock_timeout`. */
const LOCK_WAIT: PointQuery = {
  name: 'pipeline.lock-wait',
  text: `SELECT set_config('lock_timeout', '100', true)`,
  values: [],
};

interface Waiting {
  readonly scope: Scope;
  readonly statement: PointQuery;
  readonly resolve: (answer: { rows: object[] }) => void;
  readonly reject: (error: unknown) => void;
}

/** A statement of a batch, and the caller that waits for it, if any. */
interface BatchEntry {
  readonly statement: PointQuery;
  readonly of?: Waiting;
}

/**
 * Sends the point queries of concurrent callers in batches: one message to the server, one transaction, one commit and one
 * message back for all of them (decisions/0018). A batch is sent at the end of a turn of the event loop, so it takes all
 * statements that the turn led to: those of calls that arrived together, and those that follow from one batch's answers.
 * Statements that arrive while a batch is under way form the next one. Nothing waits for a timer.
 *
 * Callers do not notice each other. When a statement of a batch fails, the whole batch is undone and each statement is sent
 * once more, alone, for an answer of its own. A statement sees the data committed before it began (READ COMMITTED) and the
 * effects of those before it in its batch; no caller is answered before they are committed. Each statement sees only the rows
 * of its own scope: where two scopes differ, a statement between the two changes that of the connection.
 */
export class StatementBatcher {
  readonly #prepared = new WeakMap<pg.PoolClient, Map<string, Prepared>>();
  readonly #waiting: Waiting[] = [];
  #batches = 0;
  #checking = false;

  constructor(
    private readonly connections: ScopedConnections,
    private readonly around?: AroundStatement,
  ) {}

  /** As `query` of the pool whose connections it uses. */
  ask<Row extends object>(scope: Scope, statement: PointQuery): Promise<{ rows: Row[] }> {
    if (sizeOf(statement.values) > MAX_VALUES) return this.#alone(scope, statement);
    const answer = () =>
      new Promise<{ rows: Row[] }>((resolve, reject) => {
        this.#waiting.push({ scope, statement, resolve: resolve as Waiting['resolve'], reject });
        if (this.#batches === 0) void this.#sendBatches();
        else if (!this.#checking) this.#checkLater();
      });
    return this.around === undefined ? answer() : this.around(statement.name, answer);
  }

  /** See {@link ScopedPool.together}. */
  async inOrder(
    scope: Scope,
    statements: readonly PreparedStatement[],
  ): Promise<{ rows: object[] }[]> {
    const client = await this.connections.connect(scope);
    const prepared = this.#preparedOn(client);
    const known = statements.every(({ name }) => prepared.has(name));
    let broken: Error | undefined;
    try {
      return known
        ? await this.#inOneMessage(client, statements)
        : await this.#oneByOne(client, statements);
    } catch (error) {
      // Closing the connection ends a transaction of several messages.
      if (!known || !isUndone(error)) broken = error as Error;
      throw error;
    } finally {
      client.release(broken);
    }
  }

  async #inOneMessage(client: pg.PoolClient, statements: readonly PreparedStatement[]) {
    const batch = statements.map((statement) => this.#batched(client, statement));
    const go = () => sendBatch(client, batch);
    const names = statements.map(({ name }) => name).join(', ');
    const answers = await (this.around === undefined ? go() : this.around(names, go));
    return answers.map((answer) => {
      if ('unreadable' in answer) throw answer.unreadable;
      return answer;
    });
  }

  /** For statements that the connection has not prepared yet. */
  async #oneByOne(client: pg.PoolClient, statements: readonly PreparedStatement[]) {
    const answers: pg.QueryResult<object>[] = [];
    await client.query('BEGIN');
    for (const statement of statements) {
      const answer = await client.query<object>(configOf(statement));
      this.#remember(client, statement, answer);
      answers.push(answer);
    }
    await client.query('COMMIT');
    return answers;
  }

  #alone<Row extends object>(scope: Scope, statement: PointQuery): Promise<{ rows: Row[] }> {
    return this.connections.query<Row>(scope, configOf(statement));
  }

  /** One connection is left to statements that are sent alone. */
  #checkLater(): void {
    this.#checking = true;
    setTimeout(() => {
      this.#checking = false;
      if (this.#waiting.length === 0) return;
      if (this.#batches < this.connections.pool.options.max - 1) void this.#sendBatches();
      this.#checkLater();
    }, MAX_WAIT_MS);
  }

  /** Batch after batch on one connection, while statements arrive and no other caller waits for a connection. */
  async #sendBatches(): Promise<void> {
    this.#batches += 1;
    try {
      const { pool } = this.connections;
      const client = await pool.connect();
      let broken: Error | undefined;
      do {
        await turnOfTheLoop();
        broken = await this.#send(client, this.#waiting.splice(0, MAX_BATCH));
      } while (broken === undefined && this.#waiting.length > 0 && pool.waitingCount === 0);
      client.release(broken);
    } catch (error) {
      // No connection could be had. A batch that is under way takes the waiting statements with it next.
      if (this.#batches === 1) for (const { reject } of this.#waiting.splice(0)) reject(error);
    }
    this.#batches -= 1;
    if (this.#waiting.length > 0 && this.#batches === 0) void this.#sendBatches();
  }

  /** Answers every one of them. Resolves with the error that broke the connection, if any. */
  async #send(client: pg.PoolClient, waiting: readonly Waiting[]): Promise<Error | undefined> {
    const prepared = this.#preparedOn(client);
    const together = waiting.filter(({ statement }) => prepared.has(statement.name));
    try {
      for (const first of waiting) {
        if (!together.includes(first)) await this.#prepare(client, first);
      }
      if (together.length > 0) await this.#together(client, together);
      return undefined;
    } catch (broken) {
      // Has no effect on those already answered.
      for (const { reject } of waiting) reject(broken);
      return broken as Error;
    }
  }

  /** The first use of a statement prepares it on the connection. Throws the error that breaks the connection. */
  async #prepare(
    client: pg.PoolClient,
    { scope, statement, resolve, reject }: Waiting,
  ): Promise<void> {
    try {
      await this.connections.enter(client, scope);
      const answer = await client.query<object>(configOf(statement));
      this.#remember(client, statement, answer);
      resolve(answer);
    } catch (error) {
      if (!isUndone(error) && !isUnreadable(error)) throw error;
      reject(error);
    }
  }

  /** Throws the error that breaks the connection. */
  async #together(client: pg.PoolClient, waiting: readonly Waiting[]): Promise<void> {
    const inOrder = waiting.length === 1 ? waiting : waiting.toSorted(byLocks);
    try {
      const entries = [
        ...(await this.#lockWait(client, inOrder)),
        ...(await this.#inScope(client, inOrder)),
      ];
      const statements = entries.map(({ statement }) => statement);
      const batch = statements.map((statement) => this.#batched(client, statement));
      const answers = await sendBatch(client, batch, timeoutOf(statements));
      this.connections.moved(client, inOrder.at(-1)?.scope);
      for (const [place, { of }] of entries.entries()) {
        const answer = answers[place];
        if (answer !== undefined && 'rows' in answer) of?.resolve(answer);
        else of?.reject(answer?.unreadable);
      }
    } catch (error) {
      // The change of scope is undone with the rest.
      this.connections.moved(client, undefined);
      if (!isUndone(error)) throw error;
      if (inOrder.length === 1) return inOrder[0]?.reject(error);
      // Not awaited: they need connections of the pool, and this is one of them.
      for (const { scope, statement, resolve, reject } of inOrder) {
        this.#alone(scope, statement).then(resolve, reject);
      }
    }
  }

  /** The statements, each after the one that sets its scope. */
  async #inScope(
    client: pg.PoolClient,
    waiting: readonly Waiting[],
  ): Promise<readonly BatchEntry[]> {
    const [first] = waiting;
    if (first !== undefined && !this.#preparedOn(client).has(ENTER)) {
      const enter = enterStatement(first.scope);
      this.#remember(client, enter, await client.query<object>(enter));
      this.connections.moved(client, first.scope);
    }
    let before: Scope | undefined;
    return waiting.flatMap((of) => {
      const { scope, statement } = of;
      const stays = before === undefined ? this.connections.isIn(client, scope) : scope === before;
      before = scope;
      return stays
        ? [{ statement, of }]
        : [{ statement: enterStatement(scope) }, { statement, of }];
    });
  }

  /** The limit that goes before statements that may wait for locks. */
  async #lockWait(
    client: pg.PoolClient,
    waiting: readonly Waiting[],
  ): Promise<readonly BatchEntry[]> {
    if (waiting.length === 1 || !waiting.some(({ statement }) => statement.holds)) return [];
    if (!this.#preparedOn(client).has(LOCK_WAIT.name)) {
      this.#remember(client, LOCK_WAIT, await client.query<object>(configOf(LOCK_WAIT)));
    }
    return [{ statement: LOCK_WAIT }];
  }

  #remember(client: pg.PoolClient, { name }: PreparedStatement, { fields }: pg.QueryResult): void {
    this.#preparedOn(client).set(name, preparedOf(fields, this.connections.pool.options.types));
  }

  #batched(client: pg.PoolClient, { name, values }: PreparedStatement): BatchedStatement {
    const prepared = this.#preparedOn(client).get(name);
    if (prepared === undefined) throw new TypeError(`${name} was not prepared`);
    return { name, values, prepared };
  }

  #preparedOn(client: pg.PoolClient): Map<string, Prepared> {
    const known = this.#prepared.get(client) ?? new Map<string, Prepared>();
    this.#prepared.set(client, known);
    return known;
  }
}

function configOf({ name, text, values, query_timeout }: PointQuery): pg.QueryConfig {
  // The types of `pg` do not know the time limit of one query.
  return { name, text, values: [...values], query_timeout } as pg.QueryConfig;
}

/** The shortest, which holds for the whole batch. */
function timeoutOf(statements: readonly PointQuery[]): number | undefined {
  const limits = statements.flatMap(({ query_timeout }) => query_timeout ?? []);
  return limits.length === 0 ? undefined : Math.min(...limits);
}

/** Those without locks first, so that locks are held no longer than needed; then by scope, so that it changes less often. */
function byLocks(a: Waiting, b: Waiting): number {
  return compare(a.statement.holds ?? '', b.statement.holds ?? '') || compare(a.scope, b.scope);
}

function compare(one: string, other: string): number {
  return one < other ? -1 : Number(one > other);
}

/** Characters and bytes of texts; other values are short. */
function sizeOf(values: readonly unknown[]): number {
  let size = 0;
  for (const value of values) {
    if (typeof value === 'string' || Buffer.isBuffer(value)) size += value.length;
  }
  return size;
}

/** The answer has a value that `pool.ts` cannot represent; the connection is not at fault. */
function isUnreadable(error: unknown): boolean {
  return error instanceof RangeError;
}
