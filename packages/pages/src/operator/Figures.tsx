import type { AdminFigures, FigureRange, ReviewFigures } from '@countersign/protocol';
import { useEffect, useMemo, useState } from 'preact/hooks';

import { read } from '../api/client.js';
import { Button } from '../parts/Button.js';
import { saveCsv } from '../parts/csv.js';
import { Fault, Notice } from '../parts/Notice.js';
import { Table } from '../parts/Table.js';
import type { Column } from '../parts/Table.js';
import { Waiting } from '../parts/Waiting.js';
import { operator } from '../strings/operator.js';
import { shared } from '../strings/shared.js';
import { SafeText } from '../text/SafeText.js';
import { localTime } from '../time/Moment.js';
import { FigureChart } from './FigureChart.js';
import { principalAddress } from './Principal.js';
import { routeAddress } from './Routes.js';
import { number } from '../text/locale.js';

const RANGES: readonly FigureRange[] = ['24h', '7d', '30d'];
const EVERY_MS = 60_000;

export interface Figures {
  readonly figures: AdminFigures | null;
  readonly fault: unknown;
  readonly retry: () => void;
}

/** The range that the address names. */
export function rangeHere(): FigureRange {
  const given = new URLSearchParams(location.search).get('range');
  return RANGES.find((range) => range === given) ?? '24h';
}

/** The figures of a range, read each minute while the page is visible. */
export function useFigures(range: FigureRange): Figures {
  const [figures, setFigures] = useState<AdminFigures | null>(null);
  const [fault, setFault] = useState<unknown>(null);
  const [turn, setTurn] = useState(0);
  useEffect(() => {
    const gone = new AbortController();
    const look = () => {
      if (document.visibilityState !== 'visible') return;
      read<AdminFigures>(`/operator/data/figures?range=${range}`, { signal: gone.signal }).then(
        (found) => {
          setFigures(found);
          setFault(null);
        },
        (problem: unknown) => !gone.signal.aborted && setFault(problem),
      );
    };
    look();
    const timer = setInterval(look, EVERY_MS);
    return () => {
      gone.abort();
      clearInterval(timer);
    };
  }, [range, turn]);
  return { figures, fault, retry: () => setTurn(turn + 1) };
}

const seconds = (value: number | null) =>
  value === null ? operator.nothing : operator.secondsShort(value);
const share = (part: number, of: number) =>
  of === 0 ? operator.nothing : `${Math.round((part / of) * 100)} %`;
const amount = (value: number) => number(Math.round(value));

/** How reviews went in a range of time: charts, the same as numbers, and by route and person. */
export function FiguresPart({ range, of }: { range: FigureRange; of: Figures }) {
  const { figures, fault, retry } = of;
  return (
    <section class="card" aria-labelledby="figures">
      <div class="row apart">
        <h2 id="figures">{operator.figures}</h2>
        <nav class="ranges" aria-label={operator.range}>
          {RANGES.map((each) => (
            <a
              key={each}
              href={`/operator?range=${each}`}
              aria-current={each === range ? 'true' : undefined}
            >
              {operator.ranges[each]}
            </a>
          ))}
        </nav>
      </div>
      {fault !== null && <Fault fault={fault} retry={retry} />}
      {figures === null ? (
        fault === null && <Waiting says={shared.loading} lines={12} />
      ) : (
        <Shown figures={figures} />
      )}
    </section>
  );
}

function Shown({ figures }: { figures: AdminFigures }) {
  const { buckets, complete_from } = figures;
  const at = useMemo(() => buckets.map((bucket) => Date.parse(bucket.at) / 1000), [buckets]);
  return (
    <>
      {complete_from !== null && (
        <Notice tone="info">
          <p>{operator.incomplete(localTime(Date.parse(complete_from)))}</p>
        </Notice>
      )}
      <div class="figure-charts">
        <FigureChart
          title={operator.chartDepth}
          at={at}
          unit={amount}
          series={[
            {
              name: operator.waitingShort,
              colour: '--accent',
              values: buckets.map(({ waiting }) => waiting),
            },
          ]}
        />
        <FigureChart
          title={operator.chartFlow}
          at={at}
          unit={amount}
          series={[
            {
              name: operator.arrived,
              colour: '--accent',
              values: buckets.map(({ arrivals }) => arrivals),
            },
            {
              name: operator.decidedShort,
              colour: '--good',
              values: buckets.map(({ decided }) => decided),
            },
          ]}
        />
        <FigureChart
          title={operator.chartTime}
          at={at}
          unit={(value) => operator.secondsShort(value)}
          series={[
            { name: operator.p50, colour: '--accent', values: buckets.map(({ p50 }) => p50) },
            { name: operator.p90, colour: '--warning', values: buckets.map(({ p90 }) => p90) },
          ]}
        />
        <FigureChart
          title={operator.chartEnds}
          at={at}
          unit={amount}
          series={[
            {
              name: operator.approvedShort,
              colour: '--good',
              values: buckets.map(({ approved }) => approved),
            },
            {
              name: operator.refusedShort,
              colour: '--bad',
              values: buckets.map(({ refused }) => refused),
            },
            {
              name: operator.expiredShort,
              colour: '--warning',
              values: buckets.map(({ expired }) => expired),
            },
          ]}
        />
      </div>
      <details class="more no-print">
        <summary>{operator.chartTable}</summary>
        <Table
          caption={operator.figures}
          keyOf={(bucket) => bucket.at}
          rows={buckets}
          columns={[
            { title: operator.time, cell: (bucket) => localTime(Date.parse(bucket.at)) },
            { title: operator.waitingShort, figure: true, cell: ({ waiting }) => amount(waiting) },
            ...columns<AdminFigures['buckets'][number]>(),
          ]}
        />
      </details>
      <Routes figures={figures} />
      <People figures={figures} />
      <p class="row">
        <Button onClick={() => saveFigures(figures)}>{operator.saveFigures}</Button>
      </p>
    </>
  );
}

function columns<Row extends ReviewFigures>(): Column<Row>[] {
  const ended = ({ decided, expired, withdrawn }: Row) => decided + expired + withdrawn;
  return [
    { title: operator.arrived, figure: true, cell: ({ arrivals }) => amount(arrivals) },
    { title: operator.decidedShort, figure: true, cell: ({ decided }) => amount(decided) },
    {
      title: operator.approvedShort,
      figure: true,
      cell: ({ approved, refused }) => share(approved, approved + refused),
    },
    {
      title: operator.refusedShort,
      figure: true,
      cell: ({ approved, refused }) => share(refused, approved + refused),
    },
    {
      title: operator.expiredShort,
      figure: true,
      cell: (row) => share(row.expired, ended(row)),
    },
    { title: operator.p50, figure: true, cell: ({ p50 }) => seconds(p50) },
    { title: operator.p90, figure: true, cell: ({ p90 }) => seconds(p90) },
  ];
}

function Routes({ figures: { routes } }: { figures: AdminFigures }) {
  return (
    <>
      <h3 class="spaced">{operator.byRoute}</h3>
      {routes.length === 0 ? (
        <p class="quiet-text">{operator.noFigures}</p>
      ) : (
        <Table
          caption={operator.byRoute}
          keyOf={({ id }) => id}
          rows={routes}
          columns={[
            {
              title: operator.route,
              cell: ({ id }) => (
                <a href={routeAddress(id)}>
                  <SafeText text={id} limit={80} />
                </a>
              ),
            },
            { title: operator.waitingShort, figure: true, cell: ({ waiting }) => amount(waiting) },
            ...columns<AdminFigures['routes'][number]>(),
          ]}
        />
      )}
    </>
  );
}

function People({ figures: { people } }: { figures: AdminFigures }) {
  return (
    <>
      <h3 class="spaced">{operator.byPerson}</h3>
      <p class="fine">{operator.byPersonLead}</p>
      {people.length === 0 ? (
        <p class="quiet-text">{operator.noFigures}</p>
      ) : (
        <Table
          caption={operator.byPerson}
          keyOf={({ id }) => id}
          rows={people}
          columns={[
            {
              title: operator.person,
              cell: ({ id, name }) => (
                <a href={principalAddress(id)}>
                  <SafeText text={name ?? id} limit={80} />
                </a>
              ),
            },
            { title: operator.decidedShort, figure: true, cell: ({ decided }) => amount(decided) },
            {
              title: operator.approvedShort,
              figure: true,
              cell: ({ approved, refused }) => share(approved, approved + refused),
            },
            {
              title: operator.readTime,
              figure: true,
              cell: ({ read_p50 }) =>
                read_p50 === null ? operator.nothing : operator.secondsShort(read_p50),
            },
            {
              title: operator.quickApprovals,
              figure: true,
              cell: ({ quick, timed }) => operator.quickOf(quick, timed),
            },
          ]}
        />
      )}
    </>
  );
}

function saveFigures({ range, buckets }: AdminFigures): void {
  const names = [
    'at',
    'waiting',
    'arrivals',
    'decided',
    'approved',
    'refused',
    'expired',
    'withdrawn',
    'p50',
    'p90',
  ] as const;
  saveCsv(
    names,
    buckets.map((bucket) => names.map((name) => bucket[name])),
    `figures-${range}.csv`,
  );
}
