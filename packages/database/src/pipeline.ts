import pg from 'pg';
import type { AroundStatement } from './pool.js';
import { ENTER, enterStatement } from './scope.js';
import type { Scope, ScopedConnections } from './scope.js';
import { preparedOf, travel } from './trip.js';
import type { Passenger, Prepared } from './trip.js';

export interface PreparedStatement {
  /** Prepared under this name on each connection. */
  readonly name: string;
  readonly text: string;
  readonly values: readonly unknown[];
}

/** A statement that looks at a few rows by their keys, and so may travel with those of other callers. */
export interface BriefStatement extends PreparedStatement {
  /** Names what it locks, where it writes: statements that travel together lock in the order of these names. */
  readonly holds?: string | undefined;
  /** Longest wait for the answer, ms, where it is not the pool's. */
  readonly query_timeout?: number | undefined;
}

/** Statements of one trip: as many as gather in the time of one, and few enough that none waits long for the others. */
const MOST_TOGETHER = 16;
/** Whoever has waited for this long while trips were under way no longer waits for their end. */
const PATIENCE_MS = 10;
/** Characters and bytes of values: what is longer travels alone and keeps nobody waiting. */
const LONGEST_VALUES = 65_536;

/** A trip that waits for a lock is broken off: whoever needs the lock waits alone. Far less than `deadlock_timeout`. */
const LOCK_WAIT: BriefStatement = {
  name: 'pipeline.lock-wait',
  text: `SELECT set_config('lock_timeout', '100', true)`,
  values: [],
};

interface Waiting {
  readonly scope: Scope;
  readonly statement: BriefStatement;
  readonly resolve: (answer: { rows: object[] }) => void;
  readonly reject: (error: unknown) => void;
}

/** A statement of a trip; `of`: who waits for it. */
interface Leg {
  readonly statement: BriefStatement;
  readonly of?: Waiting;
}

/**
 * Statements of callers who ask at the same time travel together: one message to the server with all of them, one
 * transaction, one commit, one message back (decisions/0018). Where nobody else asks, a statement travels alone and at once;
 * what gathers while a trip is under way is the next one.
 *
 * Callers notice nothing of each other. When a statement of a trip fails, nothing of that trip has happened, and each is
 * asked once more, alone, for an answer of its own. A statement sees what was committed before it began (READ COMMITTED) and
 * what went before it in its trip; no caller is answered before that is committed. Each sees the rows of its own scope alone:
 * where the next one has another, a statement between the two moves the connection there.
 */
export class Pipeline {
  readonly #prepared = new WeakMap<pg.PoolClient, Map<string, Prepared>>();
  readonly #waiting: Waiting[] = [];
  #trips = 0;
  #looking = false;

  constructor(
    private readonly connections: ScopedConnections,
    private readonly around?: AroundStatement,
  ) {}

  /** As `query` of the pool, of which it takes its connections. */
  ask<Row extends object>(scope: Scope, statement: BriefStatement): Promise<{ rows: Row[] }> {
    if (sizeOf(statement.values) > LONGEST_VALUES) return this.#alone(scope, statement);
    const answer = () =>
      new Promise<{ rows: Row[] }>((resolve, reject) => {
        this.#waiting.push({ scope, statement, resolve: resolve as Waiting['resolve'], reject });
        if (this.#trips === 0) void this.#leave();
        else if (!this.#looking) this.#lookAgainLater();
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
      // A transaction of several messages is ended by the end of its connection.
      if (!known || !isUndone(error)) broken = error as Error;
      throw error;
    } finally {
      client.release(broken);
    }
  }

  async #inOneMessage(client: pg.PoolClient, statements: readonly PreparedStatement[]) {
    const passengers = statements.map((statement) => this.#passenger(client, statement));
    const go = () => travel(client, passengers);
    const names = statements.map(({ name }) => name).join(', ');
    const answers = await (this.around === undefined ? go() : this.around(names, go));
    return answers.map((answer) => {
      if ('unreadable' in answer) throw answer.unreadable;
      return answer;
    });
  }

  /** Their first time on a connection. */
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

  #alone<Row extends object>(scope: Scope, statement: BriefStatement): Promise<{ rows: Row[] }> {
    return this.connections.query<Row>(scope, configOf(statement));
  }

  /** One connection is left to those who travel alone. */
  #lookAgainLater(): void {
    this.#looking = true;
    setTimeout(() => {
      this.#looking = false;
      if (this.#waiting.length === 0) return;
      if (this.#trips < this.connections.pool.options.max - 1) void this.#leave();
      this.#lookAgainLater();
    }, PATIENCE_MS);
  }

  /** Trip after trip on one connection, for as long as statements gather and nobody else waits for a connection. */
  async #leave(): Promise<void> {
    this.#trips += 1;
    try {
      const { pool } = this.connections;
      const client = await pool.connect();
      let broken: Error | undefined;
      do {
        broken = await this.#trip(client, this.#waiting.splice(0, MOST_TOGETHER));
      } while (broken === undefined && this.#waiting.length > 0 && pool.waitingCount === 0);
      client.release(broken);
    } catch (error) {
      // There is no connection. Where another trip is under way, it comes back for them.
      if (this.#trips === 1) for (const { reject } of this.#waiting.splice(0)) reject(error);
    }
    this.#trips -= 1;
    if (this.#waiting.length > 0 && this.#trips === 0) void this.#leave();
  }

  /** Every one of them is answered by its end; resolves with what made the connection useless, if anything did. */
  async #trip(client: pg.PoolClient, waiting: readonly Waiting[]): Promise<Error | undefined> {
    const prepared = this.#preparedOn(client);
    const together = waiting.filter(({ statement }) => prepared.has(statement.name));
    try {
      for (const first of waiting) {
        if (!together.includes(first)) await this.#prepare(client, first);
      }
      if (together.length > 0) await this.#together(client, together);
      return undefined;
    } catch (broken) {
      // Nothing comes of those that were answered before.
      for (const { reject } of waiting) reject(broken);
      return broken as Error;
    }
  }

  /** A connection's first use of a statement prepares it. Throws what makes the connection useless. */
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

  /** Throws what makes the connection useless. */
  async #together(client: pg.PoolClient, waiting: readonly Waiting[]): Promise<void> {
    const inOrder = waiting.length === 1 ? waiting : waiting.toSorted(byWhatTheyHold);
    try {
      const legs = [
        ...(await this.#lockWait(client, inOrder)),
        ...(await this.#inScope(client, inOrder)),
      ];
      const statements = legs.map(({ statement }) => statement);
      const passengers = statements.map((statement) => this.#passenger(client, statement));
      const answers = await travel(client, passengers, timeoutOf(statements));
      this.connections.moved(client, inOrder.at(-1)?.scope);
      for (const [place, { of }] of legs.entries()) {
        const answer = answers[place];
        if (answer !== undefined && 'rows' in answer) of?.resolve(answer);
        else of?.reject(answer?.unreadable);
      }
    } catch (error) {
      // What was moved on the way is undone with the rest.
      this.connections.moved(client, undefined);
      if (!isUndone(error)) throw error;
      if (inOrder.length === 1) return inOrder[0]?.reject(error);
      // Not awaited: they need connections of the pool, of which this is one.
      for (const { scope, statement, resolve, reject } of inOrder) {
        this.#alone(scope, statement).then(resolve, reject);
      }
    }
  }

  /** The statements, each after what moves the connection to its scope. */
  async #inScope(client: pg.PoolClient, waiting: readonly Waiting[]): Promise<readonly Leg[]> {
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

  /** What goes before statements that may wait for one another's locks. */
  async #lockWait(client: pg.PoolClient, waiting: readonly Waiting[]): Promise<readonly Leg[]> {
    if (waiting.length === 1 || !waiting.some(({ statement }) => statement.holds)) return [];
    if (!this.#preparedOn(client).has(LOCK_WAIT.name)) {
      this.#remember(client, LOCK_WAIT, await client.query<object>(configOf(LOCK_WAIT)));
    }
    return [{ statement: LOCK_WAIT }];
  }

  #remember(client: pg.PoolClient, { name }: PreparedStatement, { fields }: pg.QueryResult): void {
    this.#preparedOn(client).set(name, preparedOf(fields, this.connections.pool.options.types));
  }

  #passenger(client: pg.PoolClient, { name, values }: PreparedStatement): Passenger {
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

function configOf({ name, text, values, query_timeout }: BriefStatement): pg.QueryConfig {
  // The types of `pg` do not know the time limit of one query.
  return { name, text, values: [...values], query_timeout } as pg.QueryConfig;
}

/** The shortest, which is everybody's. */
function timeoutOf(statements: readonly BriefStatement[]): number | undefined {
  const limits = statements.flatMap(({ query_timeout }) => query_timeout ?? []);
  return limits.length === 0 ? undefined : Math.min(...limits);
}

/** Those that lock nothing first: so locks are held for no longer than they must be. Equals by scope, to move less often. */
function byWhatTheyHold(a: Waiting, b: Waiting): number {
  return compare(a.statement.holds ?? '', b.statement.holds ?? '') || compare(a.scope, b.scope);
}

function compare(one: string, other: string): number {
  return one < other ? -1 : Number(one > other);
}

/** Characters and bytes of texts; what else values are is short. */
function sizeOf(values: readonly unknown[]): number {
  let size = 0;
  for (const value of values) {
    if (typeof value === 'string' || Buffer.isBuffer(value)) size += value.length;
  }
  return size;
}

/** The end of a connection, told by the server while it can still speak. */
const CONNECTION_ENDS = /^(08|57P)/;

/** The server refused a statement and goes on: its transaction left nothing behind. */
function isUndone(error: unknown): boolean {
  return error instanceof pg.DatabaseError && !CONNECTION_ENDS.test(error.code ?? '');
}

/** The answer has a value that is not taken as it is (`pool.ts`); the connection has nothing to do with it. */
function isUnreadable(error: unknown): boolean {
  return error instanceof RangeError;
}
