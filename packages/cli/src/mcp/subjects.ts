import { dirname, resolve } from 'node:path';
import type { Client } from '@countersign/client/node';
import { parse } from 'yaml';

import { UsageError } from '../exits.js';
import { textOf } from '../files.js';
import { clientOf as clientAt } from '../service.js';

/** The producers of the people and programs that an issuer names. */
export interface Subjects {
  /** Null for a subject that has no producer. */
  clientOf(issuer: string, subject: string): Client | null;
}

interface Row {
  readonly iss: string;
  readonly sub: string;
  readonly connection: string;
}

/**
 * One connection for each subject, so that the service knows whose agent asks. A file lists `{iss, sub, connection}`.
 *
 * @throws UsageError, ConfigurationInvalid
 */
export async function subjectsIn(file: string): Promise<Subjects> {
  const clients = new Map<string, Client>();
  for (const { iss, sub, connection } of rowsOf(file)) {
    const key = keyOf(iss, sub);
    if (clients.has(key)) throw new UsageError(`${file}: ${sub} of ${iss} is there twice.`);
    clients.set(key, await clientAt({ connection: resolve(dirname(file), connection) }));
  }
  return { clientOf: (issuer, subject) => clients.get(keyOf(issuer, subject)) ?? null };
}

const keyOf = (issuer: string, subject: string) => JSON.stringify([issuer, subject]);

function rowsOf(file: string): Row[] {
  let rows: unknown;
  try {
    rows = parse(textOf('--subjects', file));
  } catch (error) {
    if (error instanceof UsageError) throw error;
    throw new UsageError(`${file}: ${(error as Error).message}`);
  }
  const isRow = (row: unknown): row is Row => {
    const members = Object.entries((row ?? {}) as Record<string, unknown>);
    const names = members.map(([name]) => name).sort();
    return (
      names.join() === 'connection,iss,sub' &&
      members.every(([, value]) => typeof value === 'string')
    );
  };
  if (Array.isArray(rows) && rows.length > 0 && rows.every(isRow)) return rows;
  throw new UsageError(`${file} has to be a list of {iss, sub, connection}, each a text.`);
}
