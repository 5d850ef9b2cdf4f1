import { spawnSync } from 'node:child_process';

import { EXAMPLES } from '@countersign/protocol';
import type { MetricsSnapshot } from '@countersign/protocol';

import { metricsText } from './metrics-text.js';

const snapshot: MetricsSnapshot = {
  ...EXAMPLES.MetricsSnapshot,
  admission_fenced: true,
  delivery: [
    { kind: 'checkpoint', state: 'pending', count: 2, oldest_seconds: 0.5 },
    { kind: 'webhook', state: 'failed', count: 1, oldest_seconds: 90 },
  ],
  operations: [
    { name: 'outbox', succeeded_at: '2026-05-01T09:00:00.250Z', failed_at: null },
    { name: 'retention', succeeded_at: null, failed_at: null },
  ],
  http_since_process_start: { total: 12, failures: 3, conflicts: 1 },
};

/** Name, labels and value of each sample. */
function samplesOf(text: string): Record<string, number> {
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return Object.fromEntries(
    lines.map((line) => {
      const [, name = '', value] = /^(\S+) (-?[0-9.e+]+)$/.exec(line) ?? [];
      return [name, Number(value)];
    }),
  );
}

test('says every figure under the name of the protocol', () => {
  expect(samplesOf(metricsText(snapshot))).toEqual({
    proto_admission_fenced: 1,
    proto_retained: snapshot.requests['retained'],
    proto_pending: snapshot.requests['pending'],
    proto_unresolved_execution: snapshot.requests['unresolved_execution'],
    proto_oldest_pending_seconds: snapshot.requests['oldest_pending_seconds'],
    proto_retained_bytes: snapshot.requests['retained_bytes'],
    proto_enabled_reviewers: snapshot.enabled_reviewers,
    proto_http_requests_total: 12,
    proto_http_failures_total: 3,
    proto_http_conflicts_total: 1,
    'proto_outbox_jobs{kind="checkpoint",state="pending"}': 2,
    'proto_outbox_jobs{kind="webhook",state="failed"}': 1,
    'proto_outbox_oldest_seconds{kind="checkpoint",state="pending"}': 0.5,
    'proto_outbox_oldest_seconds{kind="webhook",state="failed"}': 90,
    proto_incidents_retained: snapshot.incidents.length,
    'proto_operation_last_success_seconds{operation="outbox"}': 1777626000.25,
    'proto_operation_last_success_seconds{operation="retention"}': 0,
    'proto_operation_last_failure_seconds{operation="outbox"}': 0,
    'proto_operation_last_failure_seconds{operation="retention"}': 0,
  });
});

test('explains and types each metric once, before its samples', () => {
  const [comment = '', ...lines] = metricsText(snapshot).trimEnd().split('\n');
  expect(comment).toMatch(/^# (?!HELP|TYPE)/);
  const families = new Map<string, string[]>();
  for (const line of lines) {
    const name = /^(?:# (?:HELP|TYPE) )?([a-z_]+)/.exec(line)?.[1] ?? '';
    families.set(name, [...(families.get(name) ?? []), line]);
  }
  expect([...families.values()].flat()).toEqual(lines);
  for (const [name, [help, type]] of families) {
    expect(help).toMatch(new RegExp(`^# HELP ${name} \\S.*\\.$`));
    expect(type).toBe(`# TYPE ${name} ${name.endsWith('_total') ? 'counter' : 'gauge'}`);
  }
});

test('is accepted by promtool, where there is one', () => {
  const { error, status, stdout, stderr } = spawnSync('promtool', ['check', 'metrics'], {
    input: metricsText(snapshot),
    encoding: 'utf8',
  });
  if (error !== undefined) return;
  expect([status, stdout, stderr]).toEqual([0, '', '']);
});
