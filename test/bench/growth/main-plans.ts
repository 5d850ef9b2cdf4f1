import type pg from 'pg';
import { ROLES, createPool, databaseStatements, loadValues } from '@countersign/database';
import type { RoleName, Statement, Values } from '@countersign/database';
import { executionStatements } from '@countersign/execution-authority';
import { gatewayStatements } from '@countersign/gateway';
import { ledgerStatements } from '@countersign/ledger';
import { DECISION_STATES, DEFAULT_LIMITS } from '@countersign/protocol';
import { requestStatements } from '@countersign/request';
import { reviewStatements } from '@countersign/review';
import type { Ends } from '../ends.js';
import type { Ground } from './ground.js';
import { explain, scansOf } from './plan.js';
import type { Scan } from './plan.js';
import { SERVICE_STATEMENTS } from './statements.js';
import type { ServiceStatement } from './statements.js';

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
  const add = async (
    title: string,
    role: RoleName,
    statement: Statement,
    values?: Values,
  ): Promise<void> => {
    const run = values !== undefined;
    const plan = await explain(await clientOf(role), statement, { run: values ?? false });
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
  for (const read of await reads(ground)) await add(...read);
  for (const [title, name] of WRITES) {
    const write = SERVICE_STATEMENTS.find((of) => of.name === name) as ServiceStatement;
    await add(title, write.role, write);
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

type Read = readonly [title: string, role: RoleName, statement: Statement, values: Values];

async function reads(ground: Ground): Promise<Read[]> {
  const { database, tenant, producer, reviewer, operator } = ground;
  const { rows } = await database.query<{ id: string; at: number }>(
    `SELECT request_id AS id, anchor_sequence::float8 AS at FROM lifecycle WHERE tenant = $1 AND owner = $2
       AND outcome_id IS NOT NULL ORDER BY request_id OFFSET 50 LIMIT 1`,
    [tenant, producer.id],
  );
  const { id = '', at = 0 } = rows[0] ?? {};
  const digests = await database.query<{ token: string; session: string }>(
    `SELECT c.digest AS token, (SELECT digest FROM session s WHERE s.tenant = $1 AND s.principal = $3 LIMIT 1) AS session
     FROM credential c WHERE c.tenant = $1 AND c.principal = $2`,
    [tenant, producer.id, reviewer.id],
  );
  const { token = '', session = '' } = digests.rows[0] ?? {};
  const last = await database.query<{ sequence: number }>(
    'SELECT sequence::float8 FROM event_head WHERE tenant = $1 AND owner = $2',
    [tenant, producer.id],
  );
  const events = { tenant, owner: producer.id, most: 100 };
  const newest = (last.rows[0]?.sequence ?? 0) - 5;
  const { CALLERS } = gatewayStatements;
  const { LEDGER, EXPORT } = ledgerStatements;
  const { LOAD_CLAIM, LOAD_ADMISSION, LOAD_OUTCOME } = executionStatements;
  const caller = { tenant, id: producer.id };
  const keyed = (of: { tenant: string; id: string }) => loadValues(of, id, 'operation', 'none');
  return [
    ['caller by token', 'gateway', CALLERS.principalOfToken, { digest: token }],
    ['caller by session', 'gateway', CALLERS.session, { digest: session, idle_seconds: 1800 }],
    ['status', 'request', requestStatements.STATUS, loadValues(caller, id)],
    ...listReads(tenant, { owner: producer.id, human: reviewer.id, operator: operator.id }),
    [
      'create, before',
      'request',
      requestStatements.LOAD_CREATION,
      {
        ...{ tenant, owner: producer.id, operation: 'request.create', key: 'none' },
        ...{ quota_amounts: null, retained_limit: DEFAULT_LIMITS.retained_bytes, route: null },
        ...{ bundle: null, occurrence: `growth/${id}`, recovery_of: null },
      },
    ],
    ['review, before', 'review', reviewStatements.LOAD_REVIEW, keyed({ tenant, id: reviewer.id })],
    [
      ...(['claim, before', 'execution-authority', LOAD_CLAIM] as const),
      { ...keyed(caller), identity: 'identity' },
    ],
    [
      ...(['admission, before', 'execution-authority', LOAD_ADMISSION] as const),
      { ...loadValues(caller, id), nonce: 'nonce' },
    ],
    ['outcome, before', 'execution-authority', LOAD_OUTCOME, keyed(caller)],
    ['events, newest cursor', 'ledger', LEDGER.events, { ...events, after: newest }],
    ['events, old cursor', 'ledger', LEDGER.events, { ...events, after: 20 }],
    ['audit chain', 'ledger', LEDGER.entries, { tenant, after: at, most: 100 }],
    ['export', 'ledger', EXPORT.small, loadValues(caller, id)],
    ['decisions to anchor', 'ledger', LEDGER.decisions, { tenant, after: at - 50, through: at }],
    [
      'deadlines that come',
      'request',
      databaseStatements.DEADLINE_STATEMENTS.upcoming,
      {
        ...{ ahead_ms: 60_000, kinds: ['review', 'grant'], most: 1000 },
        ...{ after_due: null, after_tenant: null, after_request: null, after_kind: null },
      },
    ],
  ];
}

function listReads(tenant: string, callers: Readonly<Record<keyof typeof LISTS, string>>): Read[] {
  return (['owner', 'human', 'operator'] as const).flatMap((scope) =>
    // The other states are found as `pending` is.
    ['', 'pending', 'expired'].map((state): Read => [
      `list of the ${LISTS[scope]}${state === '' ? '' : `, ${state}`}`,
      'request',
      requestStatements.LISTS[scope],
      {
        ...{ tenant, caller: callers[scope], offset: 0, state },
        states: state === '' ? DECISION_STATES : [state],
      },
    ]),
  );
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
