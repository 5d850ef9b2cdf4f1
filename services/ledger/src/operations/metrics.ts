import { requireMetricsReader } from '@countersign/database';
import { answer } from '@countersign/platform';
import type { OperationHandler } from '@countersign/platform';
import { PAGE_SIZES, jsonText } from '@countersign/protocol';
import type { MetricsSnapshot } from '@countersign/protocol';
import type { LedgerDeps } from '../deps.js';
import type { RunName } from '@countersign/database';
import type { MetricsRow } from '../store/metrics.js';

const RUNS: readonly RunName[] = ['outbox', 'retention'];

/**
 * `ledger.metrics`: metrics and incidents of the operator's tenant, all of them read from the database at one moment (R24,
 * R31).
 */
export function metrics(deps: LedgerDeps): OperationHandler<'ledger.metrics'> {
  return async ({ caller }) => {
    const revision = await deps.directory.revision(caller.tenant);
    await requireMetricsReader(deps.directory, caller, revision);
    const row = await deps.metrics.snapshot(caller.tenant, PAGE_SIZES.incidents);
    return answer(200, jsonText(snapshotOf(row as MetricsRow)));
  };
}

function snapshotOf(row: MetricsRow): MetricsSnapshot {
  const { now, oldest_pending, pending, enabled_reviewers } = row;
  return {
    admission_fenced: row.fenced,
    requests: {
      retained: row.retained,
      pending,
      unresolved_execution: row.unresolved_execution,
      oldest_pending_seconds:
        oldest_pending === null ? 0 : Math.max(0, now - oldest_pending) / 1000,
      retained_bytes: row.retained_bytes,
    },
    enabled_reviewers,
    pending_per_reviewer: enabled_reviewers === 0 ? null : pending / enabled_reviewers,
    delivery: row.delivery,
    incidents: row.incidents.map(({ id, code, created_at }) => ({
      id,
      code,
      created_at: new Date(created_at).toISOString(),
    })),
    operations: RUNS.map((name) => {
      const run = row.runs.find((noted) => noted.name === name);
      return {
        name,
        succeeded_at: timestampOf(run?.succeeded_at ?? null),
        failed_at: timestampOf(run?.failed_at ?? null),
      };
    }),
    http_since_process_start: {
      total: row.http_total,
      failures: row.http_failures,
      conflicts: row.http_conflicts,
    },
    policy_and_executor_evidence: 'external_executor_responsibility',
  };
}

function timestampOf(milliseconds: number | null): string | null {
  return milliseconds === null ? null : new Date(milliseconds).toISOString();
}
