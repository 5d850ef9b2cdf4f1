import type { MetricsSnapshot, ReviewConcerns } from '@countersign/protocol';
import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';

import { read } from '../api/client.js';
import { Chip } from '../parts/Chip.js';
import { Fault, Notice } from '../parts/Notice.js';
import { Table } from '../parts/Table.js';
import { Waiting } from '../parts/Waiting.js';
import { operator } from '../strings/operator.js';
import { shared } from '../strings/shared.js';
import { now } from '../time/clock.js';
import { Moment } from '../time/Moment.js';
import { fromNow, spanInWords } from '../strings/time.js';
import { Chart } from './Chart.js';
import { perMinute } from './chart.js';
import type { Reading } from './chart.js';
import { FiguresPart, rangeHere, useFigures } from './Figures.js';
import { Frame } from './Frame.js';
import { sizeInWords } from '../text/size.js';
import { number, timeOfDay } from '../text/locale.js';

const EVERY_MS = 5_000;
/** An hour of readings. */
const KEPT = 720;
const DAY_MS = 86_400_000;
/** A review that waits longer than this needs attention, with any deadline. */
const LONG_WAIT_S = 4 * 3600;
/** Mails, webhooks and checkpoints take seconds when all is well. */
const LONG_DELIVERY_S = 15 * 60;

interface Sample {
  /** By a monotonic clock. */
  readonly at: number;
  readonly snapshot: MetricsSnapshot;
}

const steady = () => performance.timeOrigin + performance.now();

/** Reads the figures again and again while the page is visible; readings are kept until it is left. */
function useSamples() {
  const [samples, setSamples] = useState<readonly Sample[]>([]);
  const [fault, setFault] = useState<unknown>(null);
  const [turn, setTurn] = useState(0);
  const busy = useRef(false);
  useEffect(() => {
    const look = async () => {
      if (busy.current || document.visibilityState !== 'visible') return;
      busy.current = true;
      try {
        const snapshot = await read<MetricsSnapshot>('/v2/admin/metrics');
        setFault(null);
        setSamples((known) => [...known.slice(-KEPT + 1), { at: steady(), snapshot }]);
      } catch (failed) {
        setFault(failed);
      } finally {
        busy.current = false;
      }
    };
    void look();
    const timer = setInterval(() => void look(), EVERY_MS);
    return () => clearInterval(timer);
  }, [turn]);
  return { samples, fault, retry: () => setTurn(turn + 1) };
}

export function Overview() {
  const { samples, fault, retry } = useSamples();
  const [range] = useState(rangeHere);
  const figures = useFigures(range);
  const latest = samples.at(-1);
  return (
    <Frame title={operator.overview} lead={operator.overviewLead}>
      {fault !== null && (
        <>
          <Fault fault={fault} retry={retry} />
          {latest && <p class="fine">{operator.stale(fromNow(latest.at, steady()))}</p>}
        </>
      )}
      {latest === undefined ? (
        fault === null && <Waiting says={shared.loading} lines={12} />
      ) : (
        <>
          <Attention
            snapshot={latest.snapshot}
            concerns={figures.figures?.concerns ?? null}
            unread={figures.figures === null && figures.fault === null}
          />
          <Tiles snapshot={latest.snapshot} />
          <FiguresPart range={range} of={figures} />
          <Charts samples={samples} />
          <Deliveries snapshot={latest.snapshot} />
          <p class="fine">{operator.externals}</p>
        </>
      )}
    </Frame>
  );
}

interface Concern {
  readonly says: string;
  readonly link: readonly [href: string, title: string] | null;
}

/** Deadlines and people; of routes at most a few names. */
function reviewConcernsOf(found: ReviewConcerns): Concern[] {
  const { due_15m, due_60m, expired_24h, arrived_24h, ended_24h, thin_routes } = found;
  const pending = ['/operator/requests?state=pending', operator.seePending] as const;
  const concerns: Concern[] = [];
  if (due_15m > 0) concerns.push({ says: operator.due15(due_15m), link: pending });
  if (due_60m > due_15m) concerns.push({ says: operator.due60(due_60m - due_15m), link: pending });
  if (expired_24h > 0) {
    const link = ['/operator/requests?state=expired', operator.seeExpired] as const;
    concerns.push({ says: operator.expired24(expired_24h), link });
  }
  if (arrived_24h > 20 && arrived_24h > ended_24h * 1.25) {
    concerns.push({ says: operator.growing(arrived_24h, ended_24h), link: pending });
  }
  if (thin_routes.length > 0) {
    const names = thin_routes.slice(0, 5).join(', ') + (thin_routes.length > 5 ? ' …' : '');
    const link = ['/operator/routes', operator.seeRoutes] as const;
    concerns.push({ says: operator.thin(thin_routes.length, names), link });
  }
  return concerns;
}

function concernsOf(snapshot: MetricsSnapshot): Concern[] {
  const { requests, delivery, incidents, operations } = snapshot;
  const recent = incidents.filter(({ created_at }) => now() - Date.parse(created_at) < DAY_MS);
  const failed = delivery
    .filter(({ state }) => state === 'failed')
    .reduce((sum, { count }) => sum + count, 0);
  const concerns: Concern[] = [];
  const add = (applies: boolean, says: string, href = '', title = '') => {
    if (applies) concerns.push({ says, link: href === '' ? null : [href, title] });
  };
  const toIncidents = ['/operator/incidents', operator.seeIncidents] as const;
  add(snapshot.admission_fenced, operator.fenced, '/operator/incidents', operator.fencedLink);
  add(recent.length > 0, operator.recentIncidents(recent.length), ...toIncidents);
  add(
    requests.oldest_pending_seconds > LONG_WAIT_S,
    operator.oldWait(spanInWords(requests.oldest_pending_seconds * 1000)),
    '/operator/requests?state=pending',
    operator.seePending,
  );
  add(
    requests.pending > 0 && snapshot.enabled_reviewers === 0,
    operator.noReviewers,
    '/operator/routes',
    operator.routes,
  );
  add(
    failed > 0,
    operator.failedDeliveries(failed),
    '/operator/deliveries',
    operator.seeDeliveries,
  );
  for (const { kind, state, count, oldest_seconds } of delivery) {
    add(
      state === 'pending' && oldest_seconds > LONG_DELIVERY_S,
      operator.lateDeliveries(
        count,
        operator.kinds[kind] ?? kind,
        spanInWords(oldest_seconds * 1000),
      ),
      kind === 'checkpoint' ? '' : '/operator/deliveries?state=pending',
      operator.seeDeliveries,
    );
  }
  for (const { name, failed_at, succeeded_at } of operations) {
    const bad = failed_at !== null && (succeeded_at === null || failed_at > succeeded_at);
    add(bad, operator.runsFailed[name] ?? operator.runFailed(name));
  }
  return concerns;
}

function Attention(props: {
  readonly snapshot: MetricsSnapshot;
  readonly concerns: ReviewConcerns | null;
  /** The reading of deadlines has not come: all may not be well. */
  readonly unread: boolean;
}) {
  const { snapshot, unread } = props;
  const concerns = [
    ...concernsOf(snapshot),
    ...(props.concerns ? reviewConcernsOf(props.concerns) : []),
  ];
  if (concerns.length === 0) {
    if (unread || props.concerns === null) return null;
    return (
      <Notice tone="good" title={operator.wellTitle}>
        <p>{operator.well}</p>
      </Notice>
    );
  }
  const tone = snapshot.admission_fenced ? 'bad' : 'warning';
  return (
    <Notice tone={tone} title={operator.attention(concerns.length)}>
      <ul class="concerns">
        {concerns.map(({ says, link }) => (
          <li key={says}>
            {says} {link && <a href={link[0]}>{link[1]}</a>}
          </li>
        ))}
      </ul>
    </Notice>
  );
}

function Tile(props: {
  title: string;
  href?: string;
  figure: ComponentChildren;
  hint?: ComponentChildren;
}) {
  const { title, href, figure, hint } = props;
  return (
    <div class="card tile">
      <h2>{href === undefined ? title : <a href={href}>{title}</a>}</h2>
      <p class="tile-figure">{figure}</p>
      {hint && <p class="fine">{hint}</p>}
    </div>
  );
}

function Tiles({ snapshot }: { snapshot: MetricsSnapshot }) {
  const { requests, enabled_reviewers, pending_per_reviewer } = snapshot;
  const each = number(Math.round((pending_per_reviewer ?? 0) * 10) / 10);
  const chained = snapshot.operations.find(({ name }) => name === 'outbox')?.succeeded_at ?? null;
  return (
    <div class="tiles">
      <Tile
        title={operator.waiting}
        href="/operator/requests?state=pending"
        figure={number(requests.pending)}
        hint={operator.perReviewer(each, enabled_reviewers)}
      />
      <Tile
        title={operator.longestWait}
        figure={
          requests.pending === 0
            ? operator.nothingWaits
            : spanInWords(requests.oldest_pending_seconds * 1000)
        }
      />
      <Tile
        title={operator.unresolvedShort}
        figure={number(requests.unresolved_execution)}
        hint={operator.unresolvedHint}
      />
      <Tile
        title={operator.retained}
        figure={sizeInWords(requests.retained_bytes)}
        hint={operator.retainedOf(requests.retained)}
      />
      <Tile
        title={operator.ledgerUpdated}
        figure={
          chained === null ? operator.never : fromNow(Math.min(Date.parse(chained), now()), now())
        }
        hint={chained !== null && <Moment at={chained} as="none" />}
      />
    </div>
  );
}

function Charts({ samples }: { samples: readonly Sample[] }) {
  const of = (value: (snapshot: MetricsSnapshot) => number): Reading[] =>
    samples.map(({ at, snapshot }) => ({ at, value: value(snapshot) }));
  const charts: (readonly [string, Reading[]])[] = [
    [operator.chartWaiting, of(({ requests }) => requests.pending)],
    [operator.chartWait, of(({ requests }) => requests.oldest_pending_seconds / 60)],
    [operator.chartCalls, perMinute(of(({ http_since_process_start: http }) => http.total))],
    [operator.chartFailures, perMinute(of(({ http_since_process_start: http }) => http.failures))],
  ];
  const rows = samples.slice(-10).reverse();
  return (
    <section class="card">
      <h2>{operator.charts}</h2>
      <div class="charts">
        {charts.map(([title, readings]) => (
          <Chart key={title} title={title} readings={readings} />
        ))}
      </div>
      <details class="no-print">
        <summary>{operator.chartTable}</summary>
        <Table
          caption={operator.charts}
          keyOf={({ at }) => String(at)}
          rows={rows}
          columns={[
            { title: operator.time, cell: ({ at }) => timeOfDay(new Date(at)) },
            {
              title: operator.waiting,
              figure: true,
              cell: ({ snapshot }) => snapshot.requests.pending,
            },
            {
              title: operator.longestWait,
              figure: true,
              cell: ({ snapshot }) => spanInWords(snapshot.requests.oldest_pending_seconds * 1000),
            },
          ]}
        />
      </details>
    </section>
  );
}

function Deliveries({ snapshot: { delivery } }: { snapshot: MetricsSnapshot }) {
  return (
    <section class="card">
      <h2>{operator.deliveryTable}</h2>
      {delivery.length === 0 ? (
        <p class="quiet-text">{operator.noDeliveries}</p>
      ) : (
        <Table
          caption={operator.deliveryTable}
          keyOf={({ kind, state }) => `${kind} ${state}`}
          rows={delivery}
          columns={[
            { title: operator.kind, cell: ({ kind }) => operator.kinds[kind] ?? kind },
            {
              title: operator.state,
              cell: ({ state }) => (
                <Chip tone={state === 'failed' ? 'bad' : state === 'accepted' ? 'good' : 'neutral'}>
                  {operator.deliveryStates[state] ?? state}
                </Chip>
              ),
            },
            { title: operator.amount, figure: true, cell: ({ count }) => number(count) },
            {
              title: operator.oldest,
              cell: ({ oldest_seconds }) => fromNow(now() - oldest_seconds * 1000, now()),
            },
          ]}
        />
      )}
    </section>
  );
}
