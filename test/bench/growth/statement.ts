import type pg from 'pg';
import type { Pool, RoleName } from '@countersign/database';

/** One statement of a service, as its store sends it. */
export interface Statement {
  readonly role: RoleName;
  /** Of the prepared statement; the first words of one that has none. */
  readonly name: string;
  readonly text: string;
  readonly values?: readonly unknown[];
  /** Of its parameters, where it has no values here: each is looked for by its name or its type. */
  readonly names?: readonly string[];
  /** Whose rows it is about: a tenant's id; `all` tenants; `none`. */
  readonly scope: { readonly tenant: string } | 'all' | 'none';
}

/** The answer to every statement: that it had its effect, and nothing else. */
const ROW = {
  ...{ saved: 1, replay: null, lifecycle: null, event: null, revision: 1, now: 0 },
  // An event of the security log, and the end of its chain.
  ...{
    id: 1,
    kind: '',
    source: '',
    actor: null,
    actor_kind: null,
    subject: null,
    request_id: null,
  },
  ...{ detail: {}, created_at: 0, sequence: 1, head: `sha256:${'0'.repeat(64)}` },
};

const BUNDLE = '00000000-0000-4000-8000-000000000000';

/**
 * A pool that sends nothing: it records a store's statements in `into`. So a store's statements can be had without the
 * store giving them away.
 */
export function recordingPool(role: RoleName, into: Statement[]): Pool {
  const inScope = (first: Statement['scope']) => {
    let scope = first;
    async function query(config: string | pg.QueryConfig, given: readonly unknown[] = []) {
      const { name, text, values = given } = typeof config === 'string' ? { text: config } : config;
      // Within its transaction a statement may be asked about all tenants.
      if (text.startsWith('SELECT set_config(')) scope = values[0] === '*' ? 'all' : first;
      else if (!/^(BEGIN\b.*|COMMIT|ROLLBACK)$/.test(text)) {
        into.push({
          role,
          name: name ?? firstWords(text),
          text,
          values: values as unknown[],
          scope,
        });
      }
      const row = name === 'housekeeping.unused-bundles' ? { ...ROW, id: BUNDLE } : { ...ROW };
      return { rows: [row], rowCount: 1 };
    }
    const connect = async () => ({ query, release: () => {} });
    const together = (statements: readonly pg.QueryConfig[]) =>
      Promise.all(statements.map((statement) => query(statement)));
    return { query, pointQuery: query, together, connect };
  };
  return {
    of: (tenant: string) => inScope({ tenant }),
    acrossTenants: inScope('all'),
    ofNoTenant: inScope('none'),
  } as unknown as Pool;
}

function firstWords(text: string): string {
  return text.trim().split(/\s+/).slice(0, 6).join(' ');
}
