import type pg from 'pg';

/** Runs a statement and gets its name. */
export type AroundStatement = <T>(statement: string, run: () => Promise<T>) => Promise<T>;

type Asking = (...given: unknown[]) => unknown;

/**
 * Puts `around` about every statement of a pool. A call with a callback is the pool's own, made on behalf of one that is
 * watched already.
 */
export function watchStatements(pool: pg.Pool, around: AroundStatement): void {
  const watched = new WeakSet<object>();
  watch(pool);
  const connect = pool.connect.bind(pool) as Asking;
  pool.connect = ((...given: unknown[]) => {
    const connecting = connect(...given);
    if (given.length > 0) return connecting;
    return (connecting as Promise<pg.PoolClient>).then((client) => {
      watch(client);
      return client;
    });
  }) as typeof pool.connect;

  function watch(asked: pg.Pool | pg.PoolClient): void {
    if (watched.has(asked)) return;
    watched.add(asked);
    const query = asked.query.bind(asked) as Asking;
    asked.query = ((...given: unknown[]) =>
      typeof given.at(-1) === 'function'
        ? query(...given)
        : around(
            nameOf(given[0]),
            () => query(...given) as Promise<unknown>,
          )) as typeof asked.query;
  }
}

/** The name that a statement is prepared under; of one without, its first word. */
function nameOf(asked: unknown): string {
  const { name, text } =
    typeof asked === 'string' ? { name: undefined, text: asked } : (asked as pg.QueryConfig);
  return name ?? /^\s*(\w+)/.exec(text)?.[1] ?? 'statement';
}
