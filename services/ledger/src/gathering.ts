/** How long records gather before they are chained: fewer, fuller transactions under load. */
const GATHER_MS = 20;
/** Between two batches that are chained for their decisions: shorter pauses open grants no sooner, because an anchoring takes as long. */
const DECISIONS_MS = 10;

/**
 * Decides when a tenant's waiting records are chained: {@link GATHER_MS} after the first hint, so that those of concurrent
 * callers share one transaction; or at once where a decision waits for its anchor, because its grant opens only then, but
 * for that reason no more often than every {@link DECISIONS_MS}.
 */
export class Gathering {
  /** Tenants with a decision that the next batch should chain at once. */
  readonly #decided = new Set<string>();
  /** When the last batch with a decision was taken, by tenant. */
  readonly #early = new Map<string, number>();
  readonly #waiting = new Map<string, () => void>();

  /** Resolves when the tenant's records are to be chained. Once at a time for each tenant. */
  async gathered(tenant: string): Promise<void> {
    const until = performance.now() + GATHER_MS;
    await new Promise<void>((resolve) => {
      let timer: NodeJS.Timeout | undefined;
      const wait = (): void => {
        clearTimeout(timer);
        const left = this.#end(tenant, until) - performance.now();
        if (left <= 0) resolve();
        else timer = setTimeout(resolve, left);
      };
      this.#waiting.set(tenant, wait);
      wait();
    });
    this.#waiting.delete(tenant);
    this.#decided.delete(tenant);
  }

  /** The batch had a decision that waits for its anchor. One that had none, after a hint for nothing, delays no decision. */
  tookDecision(tenant: string): void {
    this.#early.set(tenant, performance.now());
  }

  /** A decision of the tenant may wait: to be chained, or for its checkpoint. */
  decided(tenant: string): void {
    this.#decided.add(tenant);
    this.#waiting.get(tenant)?.();
  }

  #end(tenant: string, until: number): number {
    if (!this.#decided.has(tenant)) return until;
    return Math.min(until, (this.#early.get(tenant) ?? -Infinity) + DECISIONS_MS);
  }
}
