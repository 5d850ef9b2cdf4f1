import { Counter, Gauge } from 'prom-client';
import type { Registry } from 'prom-client';
import type { Logger } from './log.js';

export interface CachedGauge {
  readonly name: string;
  readonly help: string;
  readonly labelNames?: readonly string[];
  /** It only grows, and is a counter. Needs labels. */
  readonly counts?: true;
}

export interface GaugeSample {
  readonly value: number;
  readonly labels?: Readonly<Record<string, string>>;
}

/** The query is made no more often than this, however many scrapers there are. */
const FRESH_MS = 5000;

/**
 * Gauges that share one query, made when the process is scraped and at most every five seconds. While the query fails they
 * are left out of the scrape, which still shows the other metrics.
 *
 * @param ask resolves to the samples of every gauge, by its name
 */
export function cachedGauges(
  registry: Registry,
  log: Logger,
  gauges: readonly CachedGauge[],
  ask: () => Promise<Readonly<Record<string, readonly GaugeSample[]>>>,
): void {
  let asked: Promise<Readonly<Record<string, readonly GaugeSample[]>>> | null = null;
  let askedAt = -Infinity;

  function samples(): Promise<Readonly<Record<string, readonly GaugeSample[]>>> {
    if (asked === null || performance.now() - askedAt > FRESH_MS) {
      askedAt = performance.now();
      asked = ask().catch((error: unknown) => {
        log.warn({ err: error }, 'metrics cannot be read');
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
        // A gauge without labels shows 0 after a reset, which would look like a value.
        if (found.length === 0 && labelNames.length === 0) this.remove();
        for (const { value, labels = {} } of found) this.set(labels, value);
      },
    });
  }
}
