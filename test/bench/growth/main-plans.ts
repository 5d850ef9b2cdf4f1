import type pg from 'pg';
import { Deadlines, ROLES, createPool } from '@countersign/database';
import type { Pool, RoleName } from '@countersign/database';
import { ExecutionStore } from '@countersign/execution-authority';
import { createStore } from '@countersign/gateway';
import { LedgerStore } from '@countersign/ledger';
import { CreationStore, ListStore, RequestStore } from '@countersign/request';
import { ReviewStore } from '@countersign/review';
import type { Ends } from '../ends.js';
import type { Ground } from './ground.js';
import { explain, scansOf } from './plan.js';
import type { Scan } from './plan.js';
import { serviceStatements } from './service-statements.js';
import { recordingPool } from './statement.js';
import type { Statement } from './statement.js';

/** How one main query went on the large tenant; `run` false: only planned, for it would have written. */
export interface MainPlan {
  readonly title: string;
  readonly statement: string;
  readonly run: boolean;
  readonly scans: readonly Scan[];
  readonly buffers: number | null;
  readonly ms: number | null;
}

/** Reads, with real values of this tenant, and writes, of which only the plan is asked. */
export async function mainPlans(ground: Ground, ends: Ends): Promise<MainPlan[]> {
  const plans: MainPlan[] = [];
  const clients = new Map<RoleName, pg.PoolClient>();
  const clientOf = async (role: RoleName): Promise<pg.PoolClient> => {
    const known = clients.get(role);
    if (known !== undefined) return known;
    const options = { url: ground.databaseUrl, role: ROLES[role], application: 'bench', max: 1 };
    const pool = createPool(options);
    const client = await pool.acrossTenants.connect();
    ends.push(async () => {
      client.release();
      await pool.end();
    });
    clients.set(role, client);
    return client;
  };
  const add = async (title: string, statement: Statement, run: boolean): Promise<void> => {
    const plan = await explain(await clientOf(statement.role), statement, { run });
    plans.push({
      title,
      statement: statement.name,
      run,
      scans: scansOf(plan.Plan),
      buffers: run
        ? (plan.Plan['Shared Hit Blocks'] ?? 0) + (plan.Plan['Shared Read Blocks'] ?? 0)
        : null,
      ms: plan['Execution Time'] ?? null,
    });
  };
  for (const [title, statement] of await reads(ground)) await add(title, statement, true);
  const every = await serviceStatements();
  for (const [title, name] of WRITES) {
    await add(title, every.find((of) => of.name === name) as Statement, false);
  }
  return plans;
}

const WRITES = [
  ['create', 'request.create'],
  ['propose', 'review.propose'],
  ['confirm', 'review.confirm'],
  ['anchored decisions', 'ledger.anchor'],
  ['claim', 'execution.claim'],
  ['admission', 'execution.admit'],
  ['outcome', 'execution.outcome'],
  ['cancel, revoke', 'request.withdraw'],
  ['discard', 'request.discard'],
  ['supersede', 'request.supersede'],
] as const;

async function reads(ground: Ground): Promise<[title: string, Statement][]> {
  const { database, tenant, producer, reviewer, operator } = ground;
  const { rows } = await database.query<{ id: string; at: number }>(
    `SELECT request_id AS id, anchor_sequence::float8 AS at FROM lifecycle WHERE tenant = $1 AND owner = $2
       AND outcome_id IS NOT NULL ORDER BY request_id OFFSET 50 LIMIT 1`,
    [tenant, producer.id],
  );
  const { id = '', at = 0 } = rows[0] ?? {};
  const caller = { tenant, id: producer.id, kind: 'producer', credential: null } as const;
  const found: [string, Statement][] = [];
  const of = async (
    title: string,
    role: RoleName,
    ask: (pool: Pool) => Promise<unknown>,
  ): Promise<void> => {
    const recorded: Statement[] = [];
    await ask(recordingPool(role, recorded));
    found.push([title, recorded[0] as Statement]);
  };
  const digests = await database.query<{ token: string; session: string }>(
    `SELECT c.digest AS token, (SELECT digest FROM session s WHERE s.tenant = $1 AND s.principal = $3 LIMIT 1) AS session
     FROM credential c WHERE c.tenant = $1 AND c.principal = $2`,
    [tenant, producer.id, reviewer.id],
  );
  const { token = '', session = '' } = digests.rows[0] ?? {};
  await of('caller by token', 'gateway', (pool) => createStore(pool).principalOfToken(token));
  await of('caller by session', 'gateway', (pool) => createStore(pool).session(session));
  await of('status', 'request', (pool) => new RequestStore(pool).status(caller, id));
  for (const [who, scope] of [
    [producer, 'owner'],
    [reviewer, 'human'],
    [operator, 'operator'],
  ] as const) {
    // The other states are found as `pending` is.
    for (const state of ['', 'pending', 'expired']) {
      const title = `list of the ${LISTS[scope]}${state === '' ? '' : `, ${state}`}`;
      await of(title, 'request', (pool) =>
        new ListStore(pool).list({ ...caller, id: who.id }, scope, 0, state),
      );
    }
  }
  const names = { bundle: null, occurrence: `growth/${id}`, recoveryOf: null };
  await of('create, before', 'request', (pool) =>
    new CreationStore(pool, null).load(caller, 'request.create', 'none', names),
  );
  await of('review, before', 'review', (pool) =>
    new ReviewStore(pool).load({ ...caller, id: reviewer.id }, id, 'operation', 'none'),
  );
  await of('claim, before', 'execution-authority', (pool) =>
    new ExecutionStore(pool).loadForClaim(caller, id, 'operation', 'none', 'identity'),
  );
  await of('admission, before', 'execution-authority', (pool) =>
    new ExecutionStore(pool).loadForAdmission(caller, id, 'nonce'),
  );
  await of('outcome, before', 'execution-authority', (pool) =>
    new ExecutionStore(pool).loadForOutcome(caller, id, 'operation', 'none'),
  );
  const last = await database.query<{ sequence: number }>(
    'SELECT sequence::float8 FROM event_head WHERE tenant = $1 AND owner = $2',
    [tenant, producer.id],
  );
  for (const [title, after] of [
    ['events, newest cursor', (last.rows[0]?.sequence ?? 0) - 5],
    ['events, old cursor', 20],
  ] as const) {
    await of(title, 'ledger', (pool) =>
      new LedgerStore(pool).events(tenant, producer.id, after, 100),
    );
  }
  await of('audit chain', 'ledger', (pool) => new LedgerStore(pool).entries(tenant, at, 100));
  await of('export', 'ledger', (pool) => new LedgerStore(pool).export(caller, id, false));
  await of('decisions to anchor', 'ledger', (pool) =>
    new LedgerStore(pool).decisions(tenant, at - 50, at),
  );
  await of('deadlines that come', 'request', (pool) =>
    new Deadlines(pool, ['review', 'grant']).upcoming(60_000, null, 1000),
  );
  return found;
}

const LISTS = { owner: 'producer', human: 'reviewer', operator: 'operator' } as const;

/** docs/plans.md. */
export function plansPage(plans: readonly MainPlan[], requests: number): string {
  const reads = plans.filter(({ run }) => run).map(readLine);
  const writes = plans.filter(({ run }) => !run).map(writeLine);
  const head = HEAD.replace('REQUESTS', requests.toLocaleString('en'));
  return `${head}\n## Reads\n\n${reads.join('\n')}\n\n## Writes\n\n${writes.join('\n')}\n`;
}

const HEAD = `# Plans

The plans of the main queries on a tenant of REQUESTS requests, written by \`npm run bench -- growth --plans docs/plans.md\`
with the settings of a service's connection (\`decisions/0006-plans-for-point-queries.md\`). Each index with the columns
that it is walked by, beside the tenant, and how many rows were looked at there, kept or not, all visits of a statement
summed up; pages are of 8 KiB. Statements that save a step are planned and not run: they look at the rows of their keys. \`ctid\` is
the place of a row just found. \`test/database/plans.test.ts\` holds every statement of every service to such
plans, also on databases that were never analysed.
`;

function readLine({ title, statement, scans, buffers, ms }: MainPlan): string {
  const sums = new Map<string, number>();
  for (const scan of scans) {
    if (scan.rows !== null) sums.set(walkOf(scan), (sums.get(walkOf(scan)) ?? 0) + scan.rows);
  }
  const walks = [...sums].map(([walk, rows]) => `${walk} ${rows}`).join(', ');
  return `- ${title} (\`${statement}\`; ${buffers} pages, ${ms?.toFixed(2)} ms): ${walks}`;
}

function writeLine({ title, statement, scans }: MainPlan): string {
  const walks = [...new Set(scans.map(walkOf))].join(', ');
  return `- ${title} (\`${statement}\`): ${walks}`;
}

function walkOf({ table, index, by }: Scan): string {
  const columns = by.filter((column) => column !== 'tenant');
  const name = index === null ? `all of ${table}` : `\`${index}\``;
  return columns.length === 0 ? name : `${name} by ${columns.join('+')}`;
}
