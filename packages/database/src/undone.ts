import pg from 'pg';

/** The server's notice that it closes the connection. */
const CONNECTION_ENDS = /^(08|57P)/;

/** The server refused a statement and the connection continues: its transaction had no effect, and the connection is as it was. */
export function isUndone(error: unknown): boolean {
  return error instanceof pg.DatabaseError && !CONNECTION_ENDS.test(error.code ?? '');
}
