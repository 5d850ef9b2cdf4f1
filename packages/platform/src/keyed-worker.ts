import type { Logger } from './log.js';
import { untilBeat } from './loop.js';

/**
 * Runs `work` for each tenant that is woken: one run per tenant at a time in this process, and another if the tenant was woken
 * meanwhile, so that no wake is lost. Wakes are hints; `poll` asks the database for tenants that have work without one.
 */
export class KeyedWorker {
  readonly #running = new Map<string, Promise<void>>();
  readonly #again = new Set<string>();
  #timer: NodeJS.Timeout | undefined;
  #stopped = true;

  constructor(
    private readonly options: {
      readonly name: string;
      /** Resolves to true when more work is waiting already. */
      readonly work: (tenant: string) => Promise<boolean>;
      readonly poll: () => Promise<readonly string[]>;
      readonly pollMs: number;
      readonly log: Logger;
    },
  ) {}

  start(): void {
    this.#stopped = false;
    this.#schedule(0);
  }

  /** Starts no more work and waits for the runs in progress. */
  async stop(): Promise<void> {
    this.#stopped = true;
    clearTimeout(this.#timer);
    await Promise.allSettled(this.#running.values());
  }

  wake(tenant: string): void {
    if (this.#stopped) return;
    if (this.#running.has(tenant)) this.#again.add(tenant);
    else this.#running.set(tenant, this.#run(tenant));
  }

  async #run(tenant: string): Promise<void> {
    try {
      for (;;) {
        this.#again.delete(tenant);
        const more = await this.options.work(tenant);
        if (this.#stopped || (!more && !this.#again.has(tenant))) break;
      }
    } catch (error) {
      this.options.log.error(
        { err: error, tenant },
        `${this.options.name} failed; the next poll tries again`,
      );
    } finally {
      this.#running.delete(tenant);
    }
  }

  #schedule(ms: number): void {
    this.#timer = setTimeout(() => void this.#poll(), ms);
    this.#timer.unref();
  }

  async #poll(): Promise<void> {
    try {
      for (const tenant of await this.options.poll()) this.wake(tenant);
    } catch (error) {
      this.options.log.warn({ err: error }, `${this.options.name} cannot look for work`);
    }
    if (!this.#stopped) this.#schedule(untilBeat(this.options.pollMs));
  }
}
