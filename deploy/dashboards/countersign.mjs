// The Grafana dashboard: are reviews flowing, are the objectives met, is anything late, is anything refused, is anything at risk.
// `npm run generate` writes helm/countersign/files/dashboard.json.
import {
  AREA,
  STACKED_AREA,
  STACKED_BARS,
  bars,
  good,
  line,
  nextId,
  number,
  of,
  source,
} from './panels.mjs';

const WIDTH = 24;

/** `>= 0` leaves out series without measurements (NaN), which would only fill the legend. */
const p = (quantile, expr, by, over = '$__rate_interval') =>
  `histogram_quantile(${quantile}, sum by (le${by ? `, ${by}` : ''}) (rate(${expr}[${over}]))) >= 0`;
/** Zero where nothing happened, and no value where no process reports: missing data must not look like success. */
const orZero = (expr, reported) => `${expr} or 0 * ${reported}`;
const HTTP = 'countersign_http_seconds_count';
const STEPS = [
  'request.create',
  'review.propose',
  'review.confirm',
  'execution-authority.claim',
  'execution-authority.admit',
  'execution-authority.report-outcome',
].join('|');
const WORKER_OVERDUE = 'countersign_worker_overdue_oldest_seconds';
/**
 * Answers of the last 5 minutes. An increase needs an earlier value, which the first answer of its kind does not have:
 * a series that did not exist 5 minutes ago counts as a whole.
 */
const answersOf = (status) => {
  const now = `${HTTP}${of(`status=~"${status}"`)}`;
  return orZero(
    `round(sum((${now} unless ${now} offset 5m) or increase(${now}[5m])))`,
    `sum(${HTTP}${of()})`,
  );
};
/**
 * Objectives of 30 days, from what the rules of the chart record (files/alerts.yaml): `kind` is `failed` or `slow`. Averages
 * over the same recordings, so that an hour with more calls counts more.
 */
const objectiveOf = (name) => `countersign:objective:${name}${of()}`;
const spentOf = (kind) =>
  `avg_over_time(countersign:calls_${kind}:increase1h${of()}[30d]) / (avg_over_time(countersign:calls:increase1h${of()}[30d]) > 0)`;
const budgetLeft = (name, kind) => `min(1 - (${spentOf(kind)}) / (1 - ${objectiveOf(name)}))`;
const burnRate = (name, kind, over) =>
  `max(countersign:calls_${kind}:ratio_rate${over}${of()} / (1 - ${objectiveOf(name)}))`;
const BUDGET = [
  [null, 'red'],
  [0, 'orange'],
  [0.25, 'green'],
];
/** Later entries take precedence. */
const STATUS_COLOURS = [
  ['^2', 'green'],
  ['^201$', 'dark-green'],
  ['^3', 'blue'],
  ['^4', 'yellow'],
  ['^40[13]$', 'orange'],
  ['^409$', 'light-blue'],
  ['^429$', 'purple'],
  ['^5', 'red'],
];

/** Each row of the dashboard answers one question: lines of panels that share its width. */
const ROWS = [
  {
    title: 'Are reviews flowing?',
    lines: [
      [
        number(
          'Answered without 5xx',
          'Share of the calls of the last 5 minutes.',
          `1 - (sum(rate(${HTTP}${of('status=~"5.."')}[5m])) or vector(0)) / (sum(rate(${HTTP}${of()}[5m])) > 0)`,
          'percentunit',
          [
            [null, 'red'],
            [0.99, 'orange'],
            [0.999, 'green'],
          ],
        ),
        number(
          'Decided, last hour',
          'Confirmations by reviewers.',
          `round(sum(increase(countersign_operation_seconds_count${of('operation="review.confirm",outcome="ok"')}[1h])))`,
          'short',
        ),
        number(
          'Waiting for a decision',
          'Over all tenants that are scraped.',
          `sum(max by (tenant) (proto_pending${of()}))`,
          'short',
        ),
        number(
          'Oldest waiting',
          'Longest time that a request has waited for a decision.',
          `max(proto_oldest_pending_seconds${of()})`,
          's',
        ),
        number(
          'Pods not ready',
          'Their logs have the reason.',
          `count(countersign_ready${of()}) - sum(countersign_ready${of()})`,
          'short',
          good(1, 3),
        ),
        number(
          'Targets gone',
          'Targets that were scraped within the last hour and are not now. Only a worker itself reports its overdue items.',
          orZero(
            `count(group by (target) (max_over_time(countersign_ready${of()}[1h])) unless group by (target) (countersign_ready${of()}))`,
            `count(countersign_ready${of()})`,
          ),
          'short',
          [
            [null, 'green'],
            [1, 'red'],
          ],
        ),
      ],
      [
        line(
          'Steps of a lifecycle',
          'Steps per second.',
          [
            [
              `sum by (operation) (rate(countersign_operation_seconds_count${of(`operation=~"${STEPS}",outcome="ok"`)}[$__rate_interval]))`,
              '{{operation}}',
            ],
          ],
          'ops',
        ),
        line(
          'Duration of each step (p99)',
          'As seen by the gateway: the round trip to the service and its transaction.',
          [
            [
              p(0.99, `countersign_call_seconds_bucket${of(`operation=~"${STEPS}"`)}`, 'operation'),
              '{{operation}}',
            ],
          ],
          's',
        ),
        bars(
          'Slowest calls (p95)',
          'Last 5 minutes, by route: from the head of a call to the last byte of its answer.',
          `topk(8, ${p(0.95, `countersign_http_seconds_bucket${of('route!="none"')}`, 'route', '5m')})`,
          '{{route}}',
          's',
          good(0.5, 1),
        ),
      ],
    ],
  },
  {
    title: 'Are the objectives met?',
    lines: [
      [
        ['Answered without 5xx, 30 days', 'available', 'failed'],
        ['Answered within a second, 30 days', 'fast', 'slow'],
      ].flatMap(([title, name, kind]) => [
        number(
          title,
          'Share of the calls of 30 days, or of as many as Prometheus keeps.',
          `min(1 - ${spentOf(kind)})`,
          'percentunit',
        ),
        number(
          'Objective',
          'Of the chart: monitoring.prometheusRule.objectives.',
          `max(${objectiveOf(name)})`,
          'percentunit',
        ),
        number(
          'Error budget left',
          'Of what the objective allows in 30 days; negative when more was used.',
          budgetLeft(name, kind),
          'percentunit',
          BUDGET,
        ),
      ]),
      [
        ['Burn rate of calls with 5xx', 'available', 'failed'],
        ['Burn rate of calls over a second', 'fast', 'slow'],
      ].map(([title, name, kind]) =>
        line(
          title,
          '1 uses up the budget in exactly 30 days. Alerts fire at 14.4 over an hour and at 6 over six hours.',
          [
            [burnRate(name, kind, '1h'), '1 hour'],
            [burnRate(name, kind, '6h'), '6 hours'],
          ],
          'short',
        ),
      ),
    ],
  },
  {
    title: 'Is anything late?',
    lines: [
      [
        number(
          'Chain',
          'How long the oldest record has waited to be chained.',
          `max(countersign_chain_lag_seconds${of()})`,
          's',
          good(5, 30),
        ),
        number(
          'Anchors',
          'How long the oldest checkpoint has waited for the anchor store.',
          `max(countersign_anchor_lag_seconds${of()})`,
          's',
          good(10, 60),
        ),
        number(
          'Deadlines',
          'Age of the oldest overdue item of a worker, without deletions and deliveries.',
          `max(${WORKER_OVERDUE}${of('worker!~"worker-deletion|worker-delivery"')})`,
          's',
          good(15, 60),
        ),
        number(
          'Deletion',
          'Age of the oldest overdue deletion.',
          `max(${WORKER_OVERDUE}${of('worker="worker-deletion"')})`,
          's',
          good(600, 3600),
        ),
        number(
          'Deliveries',
          'Age of the oldest webhook or mail that is due and was not attempted.',
          `max(${WORKER_OVERDUE}${of('worker="worker-delivery"')})`,
          's',
          good(60, 600),
        ),
        number(
          'Notification backlog',
          'Entries of the ledger that were not yet examined for webhooks and mail.',
          `max(countersign_follower_lag_entries${of()})`,
          'short',
          good(100, 1000),
        ),
      ],
      [
        line(
          'Lag',
          'Age of the oldest overdue item of each kind.',
          [
            [`max(countersign_chain_lag_seconds${of()})`, 'chain'],
            [`max(countersign_anchor_lag_seconds${of()})`, 'anchors'],
            [`max(countersign_security_chain_lag_seconds${of()})`, 'security log'],
            [`max(countersign_chat_untold_seconds${of()})`, 'Slack and Teams'],
            [`max(countersign_security_anchor_lag_seconds${of()})`, 'anchors of the security log'],
            [
              `max by (sink) (countersign_security_log_lag_seconds${of()})`,
              'security log to {{sink}}',
            ],
            [`max by (worker) (${WORKER_OVERDUE}${of()})`, '{{worker}}'],
          ],
          's',
          { custom: AREA },
        ),
        line(
          'Overdue items',
          'Overdue items by worker; KEDA scales by them.',
          [[`max by (worker) (countersign_worker_overdue_items${of()})`, '{{worker}}']],
          'short',
          { custom: AREA },
        ),
        line(
          'Lateness of finished work (p95)',
          'Workers: after the due time. Checkpoints: after their signature.',
          [
            [p(0.95, `countersign_anchor_seconds_bucket${of()}`), 'anchored'],
            [p(0.95, `countersign_worker_lateness_seconds_bucket${of()}`, 'worker'), '{{worker}}'],
          ],
          's',
          { custom: AREA },
        ),
      ],
    ],
  },
  {
    title: 'Is anything refused?',
    lines: [
      [
        number(
          'Refused (4xx)',
          'Share of the calls of the last 5 minutes.',
          `(sum(rate(${HTTP}${of('status=~"4.."')}[5m])) or vector(0)) / (sum(rate(${HTTP}${of()}[5m])) > 0)`,
          'percentunit',
        ),
        number(
          'Unauthorised (401, 403)',
          'Calls of the last 5 minutes without a valid credential or without the right.',
          answersOf('401|403'),
          'short',
        ),
        number(
          'Rate limited (429)',
          'Calls of the last 5 minutes above the rate of a caller or a route.',
          answersOf('429'),
          'short',
          good(1, 1000),
        ),
        number(
          'Failed (5xx)',
          'Calls of the last 5 minutes that had no effect and can be retried.',
          answersOf('5..'),
          'short',
          good(1, 100),
        ),
      ],
      [
        line(
          'Answers by status',
          'Answers per second.',
          [[`sum by (status) (rate(${HTTP}${of()}[$__rate_interval]))`, '{{status}}']],
          'reqps',
          { custom: STACKED_AREA, colours: STATUS_COLOURS },
        ),
        line(
          'Refused steps',
          'Refusals: a conflict, a missing right, a wrong state.',
          [
            [
              `sum by (operation) (rate(countersign_operation_seconds_count${of('outcome="refused"')}[$__rate_interval])) > 0`,
              '{{operation}}',
            ],
          ],
          'ops',
          { custom: STACKED_BARS },
        ),
        line(
          'Failed steps and attempts',
          'Callers were asked to retry; workers retry each attempt.',
          [
            [
              `sum by (operation) (rate(countersign_call_seconds_count${of('outcome="failed"')}[$__rate_interval])) > 0`,
              '{{operation}}',
            ],
            [
              `sum by (worker) (rate(countersign_worker_failed_total${of()}[$__rate_interval])) > 0`,
              '{{worker}}',
            ],
          ],
          'ops',
          { custom: STACKED_BARS },
        ),
      ],
    ],
  },
  {
    title: 'Is anything at risk?',
    lines: [
      [
        number(
          'Fenced tenants',
          'Nothing is claimed, admitted or anchored for them.',
          orZero(
            `sum(max by (reason) (countersign_fenced_tenants${of('reason!="new_tenant"')}))`,
            `max(countersign_tenants${of()})`,
          ),
          'short',
          [
            [null, 'green'],
            [1, 'red'],
          ],
        ),
        number(
          'Incidents in the last hour',
          'Each has a page at /docs/incidents.',
          `sum(max by (code) (countersign_incidents_last_hour${of()}))`,
          'short',
          good(1, 5),
        ),
        number(
          'Executions without outcome',
          'Claimed, with no outcome reported yet.',
          `sum(max by (tenant) (proto_unresolved_execution${of()}))`,
          'short',
        ),
        number(
          'Tenants without reviewers',
          'Tenants with waiting requests and no enabled reviewer.',
          orZero(
            `count(max by (tenant) (proto_pending${of()}) > 0 and max by (tenant) (proto_enabled_reviewers${of()}) == 0)`,
            `count(proto_pending${of()})`,
          ),
          'short',
          good(1, 3),
        ),
      ],
      [
        line(
          'Votes',
          'Votes on requests that several people decide, and votes that ended, per hour.',
          [
            [
              `sum by (decision) (increase(countersign_approvals_total${of()}[1h])) > 0`,
              '{{decision}}',
            ],
            [
              `sum by (reason) (increase(countersign_approvals_ended_total${of()}[1h])) > 0`,
              'ended: {{reason}}',
            ],
          ],
          'short',
        ),
        line(
          'Waiting by stage',
          'Requests that several people decide, by the stage whose seats are open.',
          [[`max by (stage) (countersign_quorum_pending${of()}) > 0`, 'stage {{stage}}']],
          'short',
        ),
        line(
          'Until enough people agreed (p50, p95)',
          'From the acceptance of a request to the vote that decided it.',
          [
            [
              `histogram_quantile(0.5, sum by (le) (rate(countersign_quorum_seconds_bucket${of()}[1h])))`,
              'p50',
            ],
            [
              `histogram_quantile(0.95, sum by (le) (rate(countersign_quorum_seconds_bucket${of()}[1h])))`,
              'p95',
            ],
          ],
          's',
        ),
        number(
          'Quorums out of reach',
          'Requests that too few people are left to decide.',
          `max(countersign_quorum_unreachable${of()})`,
          'short',
          good(1, 3),
        ),
      ],
      [
        line(
          'From reading to yes (p50, p90)',
          'From the first reading of the material to a yes, by the tier of the policy.',
          [
            [
              `histogram_quantile(0.5, sum by (le, tier) (rate(countersign_approval_read_seconds_bucket${of()}[1h])))`,
              'p50 {{tier}}',
            ],
            [
              `histogram_quantile(0.9, sum by (le, tier) (rate(countersign_approval_read_seconds_bucket${of()}[1h])))`,
              'p90 {{tier}}',
            ],
          ],
          's',
        ),
        line(
          'Faster than reading',
          'Yes-votes per hour on documents that cannot have been read in that time. Many of them say how a route is built.',
          [
            [
              `sum by (tier) (increase(countersign_approvals_fast_total${of()}[1h])) > 0`,
              '{{tier}}',
            ],
          ],
          'short',
        ),
      ],
      [
        line(
          'Signatures by keys of people',
          'Per hour, by how they were judged. One that stepped back may be that of a copied key.',
          [
            [
              `sum by (result) (increase(countersign_assertions_total${of()}[1h])) > 0`,
              '{{result}}',
            ],
          ],
          'short',
        ),
        line(
          'Keys of people',
          'By state.',
          [[`max by (state) (countersign_credentials${of()}) > 0`, '{{state}}']],
          'short',
        ),
        number(
          'Keys that may be copied',
          'In the last hour: their counter stepped back, and they are suspended.',
          `max(countersign_incidents_last_hour${of('code="credential_cloned"')})`,
          'short',
          good(1, 1),
        ),
      ],
      [
        line(
          'Incidents',
          'Last hour, by code.',
          [[`max by (code) (countersign_incidents_last_hour${of()}) > 0`, '{{code}}']],
          'short',
          { custom: { ...AREA, lineWidth: 2 } },
        ),
        line(
          'Connection demand',
          'Share of the Postgres connections that a process may open for one role; above 100 %, calls wait.',
          [
            [
              `max by (target) ((sum without (state) (countersign_database_connections${of('state=~"open|waiting"')}) - sum without (state) (countersign_database_connections${of('state="unused"')})) / ignoring (role) group_left () countersign_database_connections_limit${of()})`,
              '{{target}}',
            ],
          ],
          'percentunit',
        ),
        line(
          'Event loop (p99)',
          'Delay of a process before it handles an event.',
          [[`max by (target) (nodejs_eventloop_lag_p99_seconds${of('target!=""')})`, '{{target}}']],
          's',
        ),
      ],
      [
        line(
          'Processor time',
          'Busiest pod of each target; 100 % is one processor.',
          [
            [
              `max by (target) (rate(process_cpu_seconds_total${of('target!=""')}[$__rate_interval]))`,
              '{{target}}',
            ],
          ],
          'percentunit',
        ),
        line(
          'Memory',
          'Largest pod of each target.',
          [[`max by (target) (process_resident_memory_bytes${of('target!=""')})`, '{{target}}']],
          'bytes',
        ),
      ],
      [
        line(
          'Legal holds',
          'In force, and the requests that they keep.',
          [
            [`max(countersign_holds${of()})`, 'holds'],
            [`max(countersign_held_requests${of()})`, 'requests'],
          ],
          'short',
        ),
        line(
          'Held material',
          'Bytes of private material that legal holds keep.',
          [[`max(countersign_held_bytes${of()})`, 'bytes']],
          'bytes',
        ),
        number(
          'First hold ends in',
          'Its requests are deleted then, where their time is over.',
          `min(countersign_hold_end_timestamp_seconds${of()}) - time()`,
          's',
        ),
      ],
    ],
  },
];

const HEIGHTS = { stat: 3, timeseries: 8, bargauge: 8 };

function laidOut() {
  const panels = [];
  let y = 0;
  for (const { title, lines } of ROWS) {
    const gridPos = { x: 0, y, w: WIDTH, h: 1 };
    panels.push({ id: nextId(), type: 'row', title, collapsed: false, gridPos, panels: [] });
    y += 1;
    for (const shared of lines) {
      const w = WIDTH / shared.length;
      const h = HEIGHTS[shared[0].type];
      panels.push(...shared.map((one, at) => ({ ...one, gridPos: { x: at * w, y, w, h } })));
      y += h;
    }
  }
  return panels;
}

export const dashboard = {
  uid: 'countersign',
  title: 'Countersign',
  tags: ['countersign'],
  editable: false,
  graphTooltip: 1,
  refresh: '30s',
  schemaVersion: 39,
  time: { from: 'now-6h', to: 'now' },
  templating: {
    list: [
      { name: 'source', label: 'Prometheus', type: 'datasource', query: 'prometheus' },
      {
        name: 'namespace',
        label: 'Namespace',
        type: 'query',
        datasource: source,
        query: { query: 'label_values(countersign_ready, namespace)', refId: 'namespaces' },
        includeAll: true,
        allValue: '.*',
        current: { text: 'All', value: '$__all' },
        refresh: 2,
      },
    ],
  },
  panels: laidOut(),
};
