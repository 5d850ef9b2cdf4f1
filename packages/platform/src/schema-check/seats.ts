/** A schema by itself, as producers send it, or with a response, as reviewers do. */
export type JobKind = 'schema' | 'response';

export interface SeatJob {
  readonly tenant: string;
  readonly kind: JobKind;
}

export interface SeatLimits {
  readonly seats: number;
  readonly queued: number;
  readonly breaks: number;
  readonly withinMs: number;
}

export interface Assignment<J> {
  readonly seat: number;
  readonly job: J;
}

interface Seat {
  state: 'starting' | 'ready' | 'busy';
  /** Whose job it has, or who broke it and still counts for it while it starts again. */
  tenant: string | null;
}

interface Break {
  readonly at: number;
  readonly kind: JobKind;
}

/**
 * Decides which job runs on which seat, so that no tenant's jobs refuse another's. A tenant never holds the last seat, and
 * a seat that starts again counts for the tenant that broke it. Tenants that broke one lately never hold the last seat even
 * together. In the queue those who have the least come first, and those who have the most give way when it is full.
 *
 * Knows neither processes nor timers: the caller reports events and asks for the next job.
 */
export class Seats<J extends SeatJob> {
  readonly #seats: Seat[];
  /** By rank, and by arrival where ranks are equal. */
  readonly #queue: { readonly job: J; readonly rank: number }[] = [];
  readonly #breaks = new Map<string, Break[]>();

  /** `now` in milliseconds, never going back. */
  constructor(
    private readonly limits: SeatLimits,
    private readonly now: () => number,
  ) {
    this.#seats = Array.from({ length: limits.seats }, () => ({ state: 'starting', tenant: null }));
  }

  /**
   * Milliseconds for which the tenant's new jobs of this kind are refused; 0: none. The kinds are counted apart, so that a
   * producer's schemas do not keep the reviewers of its tenant from answering.
   */
  pauseOf({ tenant, kind }: SeatJob): number {
    const breaks = this.#breaksOf(tenant).filter((broken) => broken.kind === kind);
    const oldest = breaks.at(-this.limits.breaks);
    return oldest === undefined ? 0 : oldest.at + this.limits.withinMs - this.now();
  }

  /** Puts the job in the queue: behind all whose tenants had as little as its own, or less. */
  enter(job: J): void {
    const waiting = this.#queue.filter((other) => other.job.tenant === job.tenant).length;
    const rank = this.#heldBy((tenant) => tenant === job.tenant) + waiting;
    const place = this.#queue.findIndex((other) => other.rank > rank);
    this.#queue.splice(place < 0 ? this.#queue.length : place, 0, { job, rank });
  }

  /** Takes the job out of the queue; false when it is not there. */
  leave(job: J): boolean {
    const place = this.#queue.findIndex((waiting) => waiting.job === job);
    if (place >= 0) this.#queue.splice(place, 1);
    return place >= 0;
  }

  /** Gives free seats to jobs that may run, and says which. */
  assign(): Assignment<J>[] {
    return this.#seats.flatMap((seat, number) => {
      if (seat.state !== 'ready') return [];
      const place = this.#queue.findIndex(({ job }) => this.#mayRun(job.tenant));
      const [waiting] = place < 0 ? [] : this.#queue.splice(place, 1);
      if (waiting === undefined) return [];
      Object.assign(seat, { state: 'busy', tenant: waiting.job.tenant });
      return [{ seat: number, job: waiting.job }];
    });
  }

  /** Takes out the jobs for which the queue has no place. */
  overflow(): J[] {
    return this.#queue.splice(this.limits.queued).map(({ job }) => job);
  }

  /** Takes out everything. */
  clear(): J[] {
    return this.#queue.splice(0).map(({ job }) => job);
  }

  /** The seat has started, or its job is done. */
  free(seat: number): void {
    Object.assign(this.#seats[seat] as Seat, { state: 'ready', tenant: null });
  }

  /**
   * The seat has to start again, and counts for whose job it had until it has. `job` says which one cost it, null when none
   * is to blame.
   */
  broke(seat: number, job: SeatJob | null): void {
    (this.#seats[seat] as Seat).state = 'starting';
    if (job === null) return;
    const breaks = this.#breaksOf(job.tenant);
    this.#breaks.set(job.tenant, [...breaks, { at: this.now(), kind: job.kind }]);
    for (const tenant of this.#breaks.keys()) {
      if (this.#breaksOf(tenant).length === 0) this.#breaks.delete(tenant);
    }
  }

  #mayRun(tenant: string): boolean {
    const most = Math.max(1, this.#seats.length - 1);
    if (this.#heldBy((holder) => holder === tenant) >= most) return false;
    const brokeOne = (holder: string): boolean => this.#breaksOf(holder).length > 0;
    return !brokeOne(tenant) || this.#heldBy(brokeOne) < most;
  }

  #heldBy(is: (tenant: string) => boolean): number {
    return this.#seats.filter(({ tenant }) => tenant !== null && is(tenant)).length;
  }

  /** Within the time that counts, oldest first. */
  #breaksOf(tenant: string): readonly Break[] {
    const since = this.now() - this.limits.withinMs;
    return (this.#breaks.get(tenant) ?? []).filter(({ at }) => at > since);
  }
}
