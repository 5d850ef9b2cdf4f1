import { Refusal } from '@countersign/protocol';
import type { SchemaJob, SchemaJobResult } from '@countersign/protocol';
import type { Logger } from '../log.js';
import { SCHEMA_CHECK_LIMITS } from './limits.js';
import type { SchemaCheckLimits } from './limits.js';
import { processorTimeOf, startCheckProcess } from './process.js';
import type { CheckProcess } from './process.js';
import { Seats } from './seats.js';
import type { SeatJob } from './seats.js';

/** A process that broke before it was ready is not tried again at once: that would be a loop. */
const PAUSE_MS = 1000;

/** Far more processor time than an ordinary schema takes: a job that used it up and was not done is to blame for its seat. */
const ORDINARY_MS = 100;

/** How long a start waits for its processes; a machine that needs longer gets them later. */
const START_WITHIN_MS = 15_000;

interface Pending extends SeatJob {
  readonly job: SchemaJob;
  readonly done: (result: SchemaJobResult) => void;
  readonly refuse: (refusal: Refusal) => void;
  readonly timer: NodeJS.Timeout;
  /** When it was given to a process, and the processor time that this one had used by then. */
  given: { readonly at: number; readonly used: number | null } | null;
}

interface Place {
  process: CheckProcess;
  ready: boolean;
  busy: Pending | null;
}

/** Milliseconds on a clock that never goes back, and of processor time that a process has used. */
export interface SchemaPoolMeters {
  readonly now: () => number;
  readonly used: (pid: number) => number | null;
}

const METERS: SchemaPoolMeters = { now: () => performance.now(), used: processorTimeOf };

/**
 * Checks response schemas and responses in processes of their own, with bounded memory and time. A job has 1.5 s in total:
 * one that is still queued then is `schema_validation_busy`, one that runs is stopped together with its process.
 */
export class SchemaPool {
  readonly #seats: Seats<Pending>;
  readonly #places: Place[] = [];
  #state: 'new' | 'started' | 'stopped' = 'new';
  #settled: () => void = () => {};

  constructor(
    private readonly log: Logger,
    private readonly limits: SchemaCheckLimits = SCHEMA_CHECK_LIMITS,
    private readonly meters: SchemaPoolMeters = METERS,
  ) {
    this.#seats = new Seats(limits, meters.now);
  }

  /** Resolves when all processes are ready, or after 15 s without: they are started again until they are. */
  async start(): Promise<void> {
    this.#state = 'started';
    await new Promise<void>((resolve) => {
      const late = setTimeout(resolve, START_WITHIN_MS);
      this.#settled = () => {
        clearTimeout(late);
        resolve();
      };
      for (let seat = 0; seat < this.limits.seats; seat += 1) this.#spawn(seat);
    });
  }

  async stop(): Promise<void> {
    this.#state = 'stopped';
    this.#settled();
    const running = this.#places.flatMap(({ busy }) => busy ?? []);
    for (const pending of [...this.#seats.clear(), ...running]) {
      refuse(pending, new Refusal('schema_validation_unavailable'));
    }
    for (const { process } of this.#places) process.kill();
    await Promise.all(this.#places.map(({ process }) => process.ended));
  }

  /** Whether any process can take a job, now or when it is done with another. */
  ready(): boolean {
    return this.#places.some(({ ready }) => ready);
  }

  /** Resolves when the schema (and the response, unless null) is good; rejects with a `Refusal` of protocol §10. */
  async check(tenant: string, job: SchemaJob): Promise<void> {
    if (this.#state !== 'started') throw new Refusal('schema_validation_unavailable');
    const kind = job.responseText === null ? 'schema' : 'response';
    const pauseMs = this.#seats.pauseOf({ tenant, kind });
    if (pauseMs > 0) throw busy(Math.ceil(pauseMs / 1000));
    const result = await new Promise<SchemaJobResult>((done, reject) => {
      // Timers run before answers: answers that came while this thread stood still are read first.
      const timer = setTimeout(() => setImmediate(() => this.#late(pending)), this.limits.totalMs);
      const pending: Pending = { tenant, kind, job, done, refuse: reject, timer, given: null };
      this.#seats.enter(pending);
      this.#assign();
      for (const crowdedOut of this.#seats.overflow()) refuse(crowdedOut, busy());
    });
    if (!result.ok) throw new Refusal(result.code);
  }

  #assign(): void {
    for (const { seat, job: pending } of this.#seats.assign()) {
      const place = this.#places[seat] as Place;
      pending.given = { at: this.meters.now(), used: this.#used(place.process) };
      place.busy = pending;
      place.process.give(pending.job);
    }
  }

  #late(pending: Pending): void {
    if (this.#seats.leave(pending)) {
      refuse(pending, busy());
      return;
    }
    const seat = this.#places.findIndex((place) => place.busy === pending);
    const place = this.#places[seat];
    if (place === undefined) return;
    const { ms, ran } = this.#costOf(pending, place.process);
    // A job that got its process late, or waited for the machine most of the time, says little of its schema.
    const tooShort = ran < 0.5 || ms < ORDINARY_MS;
    refuse(pending, tooShort ? busy() : new Refusal('schema_validation_timeout'));
    this.#replace(seat, ms < ORDINARY_MS ? null : pending);
  }

  /** Processor time that the job has used, and its share of the time that it was given; all of it where that is unknown. */
  #costOf({ given }: Pending, process: CheckProcess): { ms: number; ran: number } {
    const used = this.#used(process);
    if (given === null || given.used === null || used === null) return { ms: Infinity, ran: 1 };
    const ms = used - given.used;
    return { ms, ran: ms / (this.meters.now() - given.at) };
  }

  #used({ pid }: CheckProcess): number | null {
    return pid === undefined ? null : this.meters.used(pid);
  }

  #spawn(seat: number): void {
    const process: CheckProcess = startCheckProcess(this.limits, {
      ready: () => {
        if (!isCurrent()) return;
        place.ready = true;
        this.#seats.free(seat);
        this.#assign();
        if (this.#places.every(({ ready }) => ready)) this.#settled();
      },
      answered: (result) => {
        const pending = place.busy;
        if (!isCurrent() || pending === null) return;
        place.busy = null;
        clearTimeout(pending.timer);
        pending.done(result);
        this.#seats.free(seat);
        this.#assign();
      },
      ended: ({ outOfMemory, said }) => {
        if (!isCurrent() || this.#state === 'stopped') return;
        const { busy: pending, ready } = place;
        if (!ready) this.log.error({ said }, 'a process for schema checks did not start');
        if (pending !== null) {
          const code = outOfMemory ? 'schema_resource_limit' : 'schema_validation_unavailable';
          refuse(pending, new Refusal(code));
        }
        this.#replace(seat, pending);
      },
    });
    const place: Place = { process, ready: false, busy: null };
    this.#places[seat] = place;
    const isCurrent = (): boolean => this.#places[seat] === place;
  }

  /** A process that ran too long or broke loses its state. `cost` is the job that caused it. */
  #replace(seat: number, cost: Pending | null): void {
    const place = this.#places[seat] as Place;
    place.process.kill();
    if (this.#state === 'stopped') return;
    const wasReady = place.ready;
    Object.assign(place, { busy: null, ready: false });
    this.#seats.broke(seat, cost);
    if (cost !== null && this.#seats.pauseOf(cost) > 0) {
      const { tenant, kind } = cost;
      this.log.warn({ tenant, kind }, 'schema checks of a tenant ran too long: new ones wait');
    }
    if (wasReady) {
      this.#spawn(seat);
      return;
    }
    setTimeout(() => {
      if (this.#state === 'started' && this.#places[seat] === place) this.#spawn(seat);
    }, PAUSE_MS).unref();
  }
}

function busy(retryAfter = 1): Refusal {
  return new Refusal('schema_validation_busy', { retryAfter });
}

function refuse(pending: Pending, refusal: Refusal): void {
  clearTimeout(pending.timer);
  pending.refuse(refusal);
}
