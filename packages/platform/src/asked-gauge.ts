import { Counter, Gauge } from 'prom-client';
import type { Registry } from 'prom-client';
import type { Logger } from './log.js';

export interface AskedGauge {
  readonly name: string;
  readonly help: string;
  readonly labelNames?: readonly string[];
  /** It only grows, and is a counter. Needs labels. */
  readonly counts?: true;
}

export interface AskedSample {
  readonly value: number;
  readonly labels?: Readonly<Record<string, string>>;
}

/** Several scrapers ask the database no more often than this. */
const FRESH_MS = 5000;

/**
 * Gauges that one question answers, asked when somebody scrapes and at most every five seconds. While it cannot be
 * answered they are left out of the scrape, which still shows everything else.
 *
 * @param ask resolves to the samples of every gauge, by its name
 */
export function askedGauges(
  registry: Registry,
  log: Logger,
  gauges: readonly AskedGauge[],
  ask: () => Promise<Readonly<Record<string, readonly AskedSample[]>>>,
): void {
  let asked: Promise<Readonly<Record<string, readonly AskedSample[]>>> | null = null;
  let askedAt = -Infinity;

  function samples(): Promise<Readonly<Record<string, readonly AskedSample[]>>> {
    if (asked === null || performance.now() - askedAt > FRESH_MS) {
      askedAt = performance.now();
      asked = ask().catch((error: unknown) => {
        log.warn({ err: error }, 'figures cannot be asked for');
        return {};
      });
    }
    return asked;
  }

  for (const { name, help, labelNames = [], counts } of gauges) {
    const options = { name, help, labelNames: [...labelNames], registers: [registry] };
    if (counts) {
      new Counter({
        ...options,
        async collect() {
          const found = (await samples())[name] ?? [];
          this.reset();
          for (const { value, labels = {} } of found) this.inc(labels, value);
        },
      });
      continue;
    }
    new Gauge({
      ...options,
      async collect() {
        const found = (await samples())[name] ?? [];
        this.reset();
        // Without labels a gauge that was reset says 0, which would be an answer.
        if (found.length === 0 && labelNames.length === 0) this.remove();
        for (const { value, labels = {} } of found) this.set(labels, value);
      },
    });
  }
}
