import { Refusal } from '@countersign/protocol';

/** Whose body it is. */
export interface BodyOwner {
  readonly tenant: string;
  readonly id: string;
}

export interface PlaceLimits {
  /** Bytes of all bodies that have a place. */
  readonly bytes: number;
  /** Of these, one tenant's: the rest is room for bodies of others. */
  readonly tenantBytes: number;
  /** Bodies that wait for a place, of all callers and of one. */
  readonly waiting: number;
  readonly waitingOfOwner: number;
  /** The longest that one waits. */
  readonly waitMs: number;
}

/** Gives the place back; once is enough. */
export type Leave = () => void;

interface Waiting {
  readonly tenant: string;
  readonly owner: string;
  readonly bytes: number;
  readonly enter: () => void;
}

/**
 * Memory for large bodies: each has a place for as long as the process has anything of it, and none is read before. One
 * caller has one place at a time, so its bodies delay no other caller's. Those that wait do so in the order of their coming.
 */
export class Places {
  #taken = 0;
  readonly #tenants = new Map<string, number>();
  readonly #owners = new Set<string>();
  #waiting: Waiting[] = [];

  constructor(private readonly limits: PlaceLimits) {}

  /**
   * Rejects with `service_unavailable` when there is no place in time, and with the signal's reason when that aborts.
   */
  take(of: BodyOwner, bytes: number, signal?: AbortSignal): Promise<Leave> {
    const { tenant } = of;
    const owner = JSON.stringify([tenant, of.id]);
    return new Promise((resolve, reject) => {
      if (signal?.aborted === true) return reject(signal.reason as Error);
      const leaveQueue = (): void => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', abort);
        this.#waiting = this.#waiting.filter((other) => other !== waiting);
      };
      const enter = (): void => {
        leaveQueue();
        this.#enter(waiting);
        resolve(this.#leaveOnce(waiting));
      };
      const waiting: Waiting = { tenant, owner, bytes, enter };
      const giveUp = (reason: Error): void => {
        leaveQueue();
        reject(reason);
        // Others may have waited behind it.
        this.#next();
      };
      const abort = (): void => giveUp(signal?.reason as Error);
      const timer = setTimeout(() => giveUp(noPlace()), this.limits.waitMs);
      const ofOwner = this.#waiting.filter((other) => other.owner === owner).length;
      this.#waiting.push(waiting);
      signal?.addEventListener('abort', abort, { once: true });
      this.#next();
      const full =
        this.#waiting.length > this.limits.waiting || ofOwner >= this.limits.waitingOfOwner;
      if (full && this.#waiting.includes(waiting)) giveUp(noPlace());
    });
  }

  #next(): void {
    for (const waiting of [...this.#waiting]) {
      const { tenant, owner, bytes, enter } = waiting;
      if (this.#owners.has(owner)) continue;
      const ofTenant = this.#tenants.get(tenant) ?? 0;
      // Alone, a body of any size has a place.
      if (ofTenant > 0 && ofTenant + bytes > this.limits.tenantBytes) continue;
      // Smaller ones behind it wait too: else it might wait for ever.
      if (this.#taken > 0 && this.#taken + bytes > this.limits.bytes) return;
      enter();
    }
  }

  #enter({ tenant, owner, bytes }: Waiting): void {
    this.#owners.add(owner);
    this.#taken += bytes;
    this.#tenants.set(tenant, (this.#tenants.get(tenant) ?? 0) + bytes);
  }

  #leaveOnce({ tenant, owner, bytes }: Waiting): Leave {
    let left = false;
    return () => {
      if (left) return;
      left = true;
      this.#owners.delete(owner);
      this.#taken -= bytes;
      const rest = (this.#tenants.get(tenant) ?? 0) - bytes;
      if (rest === 0) this.#tenants.delete(tenant);
      else this.#tenants.set(tenant, rest);
      this.#next();
    };
  }
}

function noPlace(): Refusal {
  return new Refusal('service_unavailable', {
    retryAfter: 2,
    detail: 'Too many large bodies are being read. Repeat the call with the same Idempotency-Key.',
  });
}
