import { NOTE_RUN, TRACE_STATEMENTS, databaseStatements } from '@countersign/database';
import type { RoleName, Statement } from '@countersign/database';
import { executionStatements } from '@countersign/execution-authority';
import { gatewayStatements } from '@countersign/gateway';
import { ledgerStatements, securityLogStatements } from '@countersign/ledger';
import { notifierStatements } from '@countersign/notifier';
import { deletionStatements, requestStatements } from '@countersign/request';
import { reviewStatements } from '@countersign/review';

/** A statement, and a role that asks it. */
export interface ServiceStatement extends Statement {
  readonly role: RoleName;
}

/** The statements that packages export by name; those that services share are asked as one of them. */
const EXPORTED: readonly (readonly [RoleName, object])[] = [
  ['request', databaseStatements],
  ['ledger', { NOTE_RUN, TRACE_STATEMENTS }],
  ['gateway', gatewayStatements],
  ['request', requestStatements],
  ['deletion', deletionStatements],
  ['review', reviewStatements],
  ['execution-authority', executionStatements],
  ['ledger', ledgerStatements],
  ['security-log', securityLogStatements],
  ['notifier', notifierStatements],
];

/** Every statement of every service. */
export const SERVICE_STATEMENTS: readonly ServiceStatement[] = EXPORTED.flatMap(([role, of]) =>
  statementsIn(of).map((statement) => ({ ...statement, role })),
);

/** A statement, or those of a table of them; other exports of a store are none. */
function statementsIn(exported: unknown): Statement[] {
  if (typeof exported !== 'object' || exported === null || Array.isArray(exported)) return [];
  if ('names' in exported && 'about' in exported) return [exported as Statement];
  return Object.values(exported).flatMap(statementsIn);
}
