// The Grafana dashboard: are reviews flowing, is anything late, is anything refused, is anything at risk.
// `npm run generate` writes helm/countersign/files/dashboard.json.

const WIDTH = 24;
const source = { type: 'prometheus', uid: '${source}' };
/** Only what the pickers on top choose. */
const of = (labels = '') => `{namespace=~"$namespace"${labels && `,${labels}`}}`;

let id = 0;
const panel = (type, title, description, queries, more = {}) => ({
  id: ++id,
  type,
  title,
  description,
  datasource: source,
  targets: queries.map(([expr, legendFormat], index) => ({
    refId: String.fromCharCode(65 + index),
    expr,
    legendFormat,
    datasource: source,
  })),
  ...more,
});

const unit = (name, thresholds) => ({
  fieldConfig: {
    defaults: {
      unit: name,
      ...(thresholds && {
        color: { mode: 'thresholds' },
        thresholds: {
          mode: 'absolute',
          steps: thresholds.map(([value, color]) => ({ value, color })),
        },
      }),
    },
    overrides: [],
  },
});
const line = (title, description, queries, as = 'short') =>
  panel('timeseries', title, description, queries, {
    ...unit(as),
    options: { legend: { displayMode: 'list', placement: 'bottom' }, tooltip: { mode: 'multi' } },
  });
const number = (title, description, expr, as, thresholds) =>
  panel('stat', title, description, [[expr, '']], {
    ...unit(as, thresholds),
    options: { reduceOptions: { calcs: ['lastNotNull'] }, colorMode: 'background' },
  });
const good = (warn, bad) => [
  [null, 'green'],
  [warn, 'orange'],
  [bad, 'red'],
];

const p = (quantile, expr, by) =>
  `histogram_quantile(${quantile}, sum by (le${by ? `, ${by}` : ''}) (rate(${expr}[$__rate_interval])))`;
const STEPS = [
  'request.create',
  'review.propose',
  'review.confirm',
  'execution-authority.claim',
  'execution-authority.admit',
  'execution-authority.report-outcome',
].join('|');

const ROWS = [
  {
    title: 'Are reviews flowing?',
    panels: [
      number(
        'Answered without 5xx',
        'Calls in the last 5 minutes that were not told to come back.',
        `1 - (sum(rate(countersign_http_seconds_count${of('status=~"5.."')}[5m])) or vector(0)) / sum(rate(countersign_http_seconds_count${of()}[5m]))`,
        'percentunit',
        [
          [null, 'red'],
          [0.99, 'orange'],
          [0.999, 'green'],
        ],
      ),
      number(
        'Waiting for a decision',
        'Over all tenants that are scraped.',
        'sum(max by (tenant) (proto_pending))',
        'short',
      ),
      number(
        'Oldest waiting',
        'The longest that a request waits for a decision.',
        'max(proto_oldest_pending_seconds)',
        's',
      ),
      number(
        'Pods not ready',
        'Their logs say what they lack.',
        `count(countersign_ready${of()} == 0) or vector(0)`,
        'short',
        good(1, 3),
      ),
      line(
        'Steps of a lifecycle',
        'How often each step is done a second.',
        [
          [
            `sum by (operation) (rate(countersign_operation_seconds_count${of(`operation=~"${STEPS}",outcome="ok"`)}[$__rate_interval]))`,
            '{{operation}}',
          ],
        ],
        'reqps',
      ),
      line(
        'How long each step takes (p99)',
        'As the gateway sees it: the way to the service and back, and its transaction.',
        [
          [
            p(0.99, `countersign_call_seconds_bucket${of(`operation=~"${STEPS}"`)}`, 'operation'),
            '{{operation}}',
          ],
        ],
        's',
      ),
      line(
        'Calls by route (p95)',
        'From the head of a call to the last byte of its answer.',
        [[p(0.95, `countersign_http_seconds_bucket${of()}`, 'route'), '{{route}}']],
        's',
      ),
    ],
  },
  {
    title: 'Is anything late?',
    panels: [
      number(
        'Chain',
        'For how long the oldest record waits to be chained.',
        `max(countersign_chain_lag_seconds${of()})`,
        's',
        good(5, 30),
      ),
      number(
        'Anchors',
        'For how long the oldest checkpoint waits for the anchor store.',
        `max(countersign_anchor_lag_seconds${of()})`,
        's',
        good(10, 60),
      ),
      number(
        'Deadlines',
        'The oldest item that a worker has not done in time, but deletion.',
        `max(countersign_worker_overdue_oldest_seconds${of('worker!="worker-deletion"')})`,
        's',
        good(15, 60),
      ),
      number(
        'Deletion',
        'The oldest deletion that is due and not done.',
        `max(countersign_worker_overdue_oldest_seconds${of('worker="worker-deletion"')})`,
        's',
        good(600, 3600),
      ),
      line('Overdue items', 'Due and not done, by worker: what KEDA scales by.', [
        [`max by (worker) (countersign_worker_overdue_items${of()})`, '{{worker}}'],
      ]),
      line(
        'How late items are done (p95)',
        'By worker.',
        [[p(0.95, `countersign_worker_lateness_seconds_bucket${of()}`, 'worker'), '{{worker}}']],
        's',
      ),
      line(
        'From checkpoint to anchor',
        'How long the anchor store takes to accept, with what it opens.',
        [
          [p(0.5, `countersign_anchor_seconds_bucket${of()}`), 'p50'],
          [p(0.99, `countersign_anchor_seconds_bucket${of()}`), 'p99'],
        ],
        's',
      ),
      line('Follower', 'Entries that nobody was told of yet (webhooks, mail).', [
        [`max(countersign_follower_lag_entries${of()})`, 'entries'],
      ]),
    ],
  },
  {
    title: 'Is anything refused?',
    panels: [
      line(
        'Answers by status',
        'A second.',
        [
          [
            `sum by (status) (rate(countersign_http_seconds_count${of()}[$__rate_interval]))`,
            '{{status}}',
          ],
        ],
        'reqps',
      ),
      line(
        'Refused steps',
        'Callers got a no: a conflict, a missing right, a wrong state.',
        [
          [
            `sum by (operation) (rate(countersign_operation_seconds_count${of('outcome="refused"')}[$__rate_interval]))`,
            '{{operation}}',
          ],
        ],
        'reqps',
      ),
      line(
        'Failed steps',
        'Callers were told to come back.',
        [
          [
            `sum by (operation) (rate(countersign_call_seconds_count${of('outcome="failed"')}[$__rate_interval]))`,
            '{{operation}}',
          ],
        ],
        'reqps',
      ),
      line('Failed attempts of workers', 'Each is made again.', [
        [
          `sum by (worker) (increase(countersign_worker_failed_total${of()}[$__rate_interval]))`,
          '{{worker}}',
        ],
      ]),
    ],
  },
  {
    title: 'Is anything at risk?',
    panels: [
      number(
        'Fenced tenants',
        'Nothing is claimed, admitted or anchored for them.',
        `sum(max by (reason) (countersign_fenced_tenants${of('reason!="new_tenant"')})) or vector(0)`,
        'short',
        good(1, 1),
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
        'Claimed, and nobody told how it ended.',
        'sum(max by (tenant) (proto_unresolved_execution))',
        'short',
      ),
      number(
        'Tenants without reviewers',
        'That have requests waiting.',
        'count(max by (tenant) (proto_pending) > 0 and max by (tenant) (proto_enabled_reviewers) == 0) or vector(0)',
        'short',
        good(1, 3),
      ),
      line('Incidents', 'Of the last hour, by code.', [
        [`max by (code) (countersign_incidents_last_hour${of()})`, '{{code}}'],
      ]),
      line('Connections waited for', 'Calls that wait for a connection to Postgres.', [
        [
          `max by (target, role) (countersign_database_connections${of('state="waiting"')})`,
          '{{target}} {{role}}',
        ],
      ]),
      line(
        'Event loop (p99)',
        'How late a process gets round to something.',
        [[`max by (target) (nodejs_eventloop_lag_p99_seconds${of('target!=""')})`, '{{target}}']],
        's',
      ),
      line(
        'Memory',
        'Of each target, the largest pod.',
        [[`max by (target) (process_resident_memory_bytes${of('target!=""')})`, '{{target}}']],
        'bytes',
      ),
    ],
  },
];

/** Numbers stand four in a line, pictures two. */
function laidOut() {
  const panels = [];
  let y = 0;
  for (const { title, panels: of_ } of ROWS) {
    panels.push({
      id: ++id,
      type: 'row',
      title,
      collapsed: false,
      gridPos: { x: 0, y, w: WIDTH, h: 1 },
      panels: [],
    });
    y += 1;
    let x = 0;
    let height = 0;
    for (const one of of_) {
      const [w, h] = one.type === 'stat' ? [6, 4] : [12, 8];
      if (x + w > WIDTH || (height !== 0 && height !== h)) {
        y += height;
        x = 0;
      }
      panels.push({ ...one, gridPos: { x, y, w, h } });
      x += w;
      height = h;
    }
    y += height;
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
