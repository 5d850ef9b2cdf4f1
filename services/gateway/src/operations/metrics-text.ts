import type { BusReply } from '@countersign/platform';
import type { MetricsSnapshot } from '@countersign/protocol';
import { operationNamed } from '@countersign/protocol';

import type { AskOperation } from '../pipeline.js';

/** The text exposition format that Prometheus scrapes. */
const METRICS_TYPE = 'text/plain; version=0.0.4; charset=utf-8';
const snapshot = operationNamed('ledger.metrics');

interface Sample {
  readonly value: number;
  readonly labels?: Readonly<Record<string, string>>;
}

/** `gateway.metrics-text`: the answer of `ledger.metrics` in another form. */
export async function metricsTextOperation(ask: AskOperation): Promise<BusReply> {
  const { status, body } = await ask(snapshot);
  const text = metricsText(JSON.parse(body) as MetricsSnapshot);
  return { status, body: text, headers: { 'content-type': METRICS_TYPE } };
}

/**
 * The metrics of a tenant under the names of protocol §14 and R24; labels hold no private
 * thing.
 */
export function metricsText(snapshot: MetricsSnapshot): string {
  const { requests, delivery, operations, http_since_process_start: http } = snapshot;
  const jobs = (value: (job: MetricsSnapshot['delivery'][number]) => number): Sample[] =>
    delivery.map((job) => ({ value: value(job), labels: { kind: job.kind, state: job.state } }));
  const runs = (ended: 'succeeded_at' | 'failed_at'): Sample[] =>
    operations.map((run) => ({ value: unixSeconds(run[ended]), labels: { operation: run.name } }));

  return [
    '# Countersign: metrics of one tenant, the same from every replica\n',
    gauge('proto_admission_fenced', 'Whether admission is closed: 1, else 0', [
      { value: snapshot.admission_fenced ? 1 : 0 },
    ]),
    gauge('proto_retained', 'Requests whose private material is kept', [
      { value: requests.retained },
    ]),
    gauge('proto_pending', 'Requests that wait for a decision', [{ value: requests.pending }]),
    gauge('proto_unresolved_execution', 'Claimed executions without a reported outcome', [
      { value: requests.unresolved_execution },
    ]),
    gauge('proto_oldest_pending_seconds', 'Age of the oldest request that waits for a decision', [
      { value: requests.oldest_pending_seconds },
    ]),
    gauge('proto_retained_bytes', 'Bytes that retained requests take up or reserve', [
      { value: requests.retained_bytes },
    ]),
    gauge('proto_enabled_reviewers', 'Enabled people whom a route names as reviewers', [
      { value: snapshot.enabled_reviewers },
    ]),
    counter('proto_http_requests_total', 'Answers to authenticated callers', http.total),
    counter('proto_http_failures_total', 'Answers of status 400 and above', http.failures),
    counter('proto_http_conflicts_total', 'Answers of status 409', http.conflicts),
    gauge(
      'proto_outbox_jobs',
      'Deliveries and checkpoints by their state',
      jobs(({ count }) => count),
    ),
    gauge(
      'proto_outbox_oldest_seconds',
      'Age of the oldest delivery or checkpoint in that state',
      jobs(({ oldest_seconds }) => oldest_seconds),
    ),
    gauge('proto_incidents_retained', 'Incidents in the list of the newest ones', [
      { value: snapshot.incidents.length },
    ]),
    gauge(
      'proto_operation_last_success_seconds',
      'When background work last went well, in Unix seconds; 0 for never',
      runs('succeeded_at'),
    ),
    gauge(
      'proto_operation_last_failure_seconds',
      'When background work last failed, in Unix seconds; 0 for never',
      runs('failed_at'),
    ),
  ].join('');
}

function gauge(name: string, help: string, samples: readonly Sample[]): string {
  return family(name, 'gauge', help, samples);
}

function counter(name: string, help: string, value: number): string {
  return family(name, 'counter', help, [{ value }]);
}

function family(name: string, type: string, help: string, samples: readonly Sample[]): string {
  const lines = samples.map(({ value, labels = {} }) => {
    const pairs = Object.entries(labels).map(([label, text]) => `${label}="${escaped(text)}"`);
    return `${name}${pairs.length === 0 ? '' : `{${pairs.join(',')}}`} ${value}\n`;
  });
  return `# HELP ${name} ${help}.\n# TYPE ${name} ${type}\n${lines.join('')}`;
}

function escaped(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
}

function unixSeconds(timestamp: string | null): number {
  return timestamp === null ? 0 : Date.parse(timestamp) / 1000;
}
