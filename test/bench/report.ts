import type { Figures } from './figures.js';
import { STEPS } from './load/lifecycle.js';
import type { Machine } from './machine.js';
import type { BenchOptions } from './options.js';
import type { StartFigures, Target } from './targets.js';
import { digits, table } from './text.js';

export interface Results {
  readonly options: BenchOptions;
  readonly machine: Machine;
  readonly start: StartFigures | null;
  readonly figures: readonly Figures[];
  readonly targets: readonly Target[];
}

/** The bench's result as lines of text. */
export function report(results: Results): string[] {
  const { options, figures } = results;
  const counts = [...new Set(figures.map(({ clients }) => clients))];
  return [
    '',
    machineLine(results.machine),
    `Medians of ${options.rounds} round(s) of ${options.seconds} s; ratios are to the yardstick's measurement just before.`,
    '',
    ...throughputTable(figures, counts),
    ...counts.flatMap((clients) => stepTable(figures, clients)),
    ...cpuTable(figures, Math.max(...counts)),
    ...sizeTable(figures, Math.max(...counts)),
    ...waitingLines(figures),
    ...startLines(results.start),
    '',
    'Targets',
    ...table(
      results.targets.map(({ name, aim, value, reached }) => [
        reached === null ? '-' : reached ? 'yes' : 'NO',
        name,
        value === null ? 'not measured' : digits(value),
        aim,
      ]),
      ['left', 'left'],
    ),
  ];
}

export function machineLine(machine: Machine): string {
  const { cores, processor, memoryGb, node, postgres, load, syncMs } = machine;
  return (
    `${cores} cores (${processor}), ${memoryGb} GB, Node ${node}, PostgreSQL ${postgres}, ` +
    `fdatasync of 8 KiB ${digits(syncMs)} ms, load before ${digits(load)}`
  );
}

function throughputTable(figures: readonly Figures[], counts: readonly number[]): string[] {
  const modes = [...new Set(figures.map(({ mode }) => mode))];
  const cell = (mode: string, clients: number, value: (of: Figures) => number | undefined) => {
    const of = figures.find((known) => known.mode === mode && known.clients === clients);
    const shown = of && value(of);
    return shown === undefined ? '' : digits(shown);
  };
  const rows = modes.flatMap((mode) => [
    [mode, ...counts.map((clients) => cell(mode, clients, (of) => of.lifecyclesPerSecond))],
    ...(figures.some((of) => of.mode === mode && of.ratios !== null)
      ? [
          [
            '  ratio',
            ...counts.map((clients) => cell(mode, clients, (of) => of.ratios?.throughput)),
          ],
        ]
      : []),
  ]);
  return [
    ...table([
      ['Lifecycles per second', ...counts.map((clients) => `${clients} clients`)],
      ...rows,
    ]),
    '',
  ];
}

function stepTable(figures: readonly Figures[], clients: number): string[] {
  const rows = figures
    .filter((of) => of.clients === clients)
    .flatMap(({ mode, steps, ratios }) => [
      [
        mode,
        ...STEPS.map((step) => {
          const times = steps[step];
          return times === undefined ? '' : `${digits(times.p50)} / ${digits(times.p99)}`;
        }),
      ],
      ...(ratios === null
        ? []
        : [
            [
              '  ratio',
              ...STEPS.map((step) => {
                const [p50, p99] = [ratios.p50[step], ratios.p99[step]];
                return p50 === undefined || p99 === undefined
                  ? ''
                  : `${digits(p50)} / ${digits(p99)}`;
              }),
            ],
          ]),
    ]);
  return [...table([[`ms, p50 / p99, ${clients} clients`, ...STEPS], ...rows]), ''];
}

/** Where the time of a machine goes that has nothing else to do. */
function cpuTable(figures: readonly Figures[], clients: number): string[] {
  const rows = figures
    .filter((of) => of.clients === clients)
    .map(({ mode, cpu, ratios }) => [
      mode,
      ...[cpu.service, cpu.database, cpu.stores, cpu.client].map(digits),
      ratios === null ? '' : digits(ratios.cpu),
    ]);
  const title = `CPU ms of a lifecycle, ${clients} clients`;
  return [
    ...table([[title, 'service', 'database', 'nats+redis', 'load generator', 'ratio'], ...rows]),
    '',
  ];
}

/** Both sides are to say about as much. */
function sizeTable(figures: readonly Figures[], clients: number): string[] {
  const rows = figures
    .filter((of) => of.clients === clients)
    .map(({ mode, bytes }) => [mode, ...STEPS.map((step) => bytes[step]?.toFixed(0) ?? '')]);
  return [...table([[`bytes of an answer, ${clients} clients`, ...STEPS], ...rows]), ''];
}

function waitingLines(figures: readonly Figures[]): string[] {
  const products = figures.filter(({ mode }) => mode !== 'yardstick');
  if (products.length === 0) return [];
  const reads = products.map((of) => `${of.mode} at ${of.clients}: ${digits(of.reads)}`).join(', ');
  const busy = products.reduce((sum, of) => sum + of.busy, 0);
  return [
    `Status reads for one lifecycle: ${reads}. Answers that the service is too busy, tried again with the key: ${busy}.`,
  ];
}

function startLines(start: StartFigures | null): string[] {
  if (start === null) return [];
  return [
    `Start: ready after ${digits(start.warmMs / 1000)} s (npm start on its data), ${digits(start.firstMs / 1000)} s on an empty ` +
      `database. Idle: ${start.idleMb.toFixed(0)} MB in the one process, ${start.launcherMb.toFixed(0)} MB in its launcher.`,
  ];
}
