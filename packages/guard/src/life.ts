import {
  AnswerInvalid,
  ServiceRefusal,
  Unreachable,
  VerificationFailed,
  WaitEnded,
  admit,
  auditExport,
  claim,
  create,
  digestOf,
  keyOf,
  list,
  material,
  revoke,
  status as readStatus,
  supersede,
} from '@countersign/client';
import type {
  AdmissionStatus,
  Client,
  ExecutionClaim,
  ExecutionOutcome,
  JsonValue,
  RequestStatus,
  SignedRecord,
} from '@countersign/client';

import type { Runtime } from './runtime.js';
import { AlreadyUsed, ArgumentsChanged, Lapsed } from './errors.js';
import type { LapseReason } from './errors.js';
import type { Change, End, Entry, Hold, Journal, Launch } from './journal.js';
import type { Ledger, Own, Permit } from './next.js';
import type { CallOptions, GuardOptions } from './options.js';
import type { Plan } from './plan.js';

/** What the lives of all occurrences of one guard have in common. */
export interface Guarding<A> {
  readonly client: Client;
  readonly options: GuardOptions<A>;
  readonly runtime: Runtime;
}

/** How the function ended, or why it never started: for the caller of this process. */
export type Ending =
  | { readonly kind: 'returned'; readonly value: unknown }
  | { readonly kind: 'threw'; readonly error: unknown };

const RETRY_MS = 250;
const MOST_RETRY_MS = 20_000;
/** While an operator has to act first. */
const PERSON_MS = 30_000;
/** How often the hold of another process is asked for while its outcome is awaited. */
const TRY_HOLD_MS = 2_000;

/**
 * One occurrence in one process: what is known of it, and the calls and journal entries by which more becomes known. `next`
 * decides; nothing here does.
 */
export class Life<A> {
  status: RequestStatus | null = null;
  identity: string | null = null;
  holdState: Own['hold'] = 'free';
  launch: Own['launch'] = 'none';
  permit: Permit = 'unread';
  isFenced = false;
  hasRevoked = false;
  probe: Own['probe'];
  end: End | null = null;
  ending: Ending | null = null;
  /** Whether this process ran the function. */
  hasStarted = false;
  /** Whether a durable journal has the end. */
  isEndKept = false;
  response: JsonValue | undefined;
  /** What refused the claim or the launch, for the caller. */
  cause: unknown;
  private hold: Hold | null = null;
  private sent: Launch | null = null;
  private deadline: { start: number; window: number; from: Launch } | null = null;
  private hasMaterial = false;
  private faults = 0;

  constructor(
    readonly guarding: Guarding<A>,
    readonly journal: Journal | null,
    readonly plan: Plan,
    readonly proposal: string,
    public entry: Entry | null,
    readonly call: CallOptions,
  ) {
    this.probe = guarding.options.probe === undefined ? 'none' : 'unasked';
    if (entry !== null) this.know(entry);
  }

  /** What the entry says of its occurrence. A journal that is not durable proves nothing about a launch. */
  private know(entry: Entry): void {
    this.entry = entry;
    if (!this.isDurable) return;
    this.identity = entry.identity;
    this.end = entry.end;
    this.isEndKept = entry.end !== null;
  }

  get client(): Client {
    return this.guarding.client;
  }

  get id(): string {
    return (this.status as RequestStatus).request.id;
  }

  get isDurable(): boolean {
    return this.journal?.durable === true;
  }

  get isAborted(): boolean {
    return this.call.signal?.aborted === true;
  }

  /** Epoch milliseconds of the service; without its clock, the newest time that it signed. */
  get now(): number {
    return this.client.serverTime() ?? newestTime(this.status);
  }

  get ledger(): Ledger | null {
    const { status } = this;
    if (status === null) return null;
    const claimed = payloadOf<ExecutionClaim>(status.claim);
    const receipt = payloadOf<{ decision: string }>(status.receipt);
    return {
      decision: status.decision_state,
      authorises: receipt === null ? null : receipt.decision === 'authorise',
      grant: status.grant_state,
      claim: claimed && {
        identity: claimed.execution_identity,
        at: Date.parse(claimed.claimed_at),
      },
      isSettled: status.outcome !== null,
    };
  }

  get windowMs(): number {
    return (this.status?.request.execution?.execution_seconds ?? 0) * 1_000;
  }

  get own(): Own {
    const { identity, launch, isFenced, hasRevoked, probe, isAborted } = this;
    return {
      ...{ identity, launch, isFenced, hasRevoked, probe, isAborted },
      hold: this.holdState,
      inTime: this.isInTime(),
      isDead:
        isFenced && this.hold?.provesDeath === true && this.guarding.options.outlives !== true,
      hasEnd: this.end !== null,
    };
  }

  /** Whether the local deadline and the window are open, by two clocks that agree (protocol §15.6). */
  isInTime(): boolean {
    if (this.deadline === null) return false;
    const { monotonic, wall, boot } = this.guarding.runtime;
    const { from, start, window } = this.deadline;
    if (from.boot !== boot) return false;
    const elapsed = monotonic() - from.monotonic;
    if (Math.abs(wall() - from.wall - elapsed) > 1_000) return false;
    return from.monotonic + elapsed < Math.min(start, window);
  }

  /** Milliseconds until the window ends. */
  get windowLeft(): number {
    return this.deadline === null ? 0 : this.deadline.window - this.guarding.runtime.monotonic();
  }

  async ask(): Promise<void> {
    const { plan, client } = this;
    if (this.entry?.request) {
      this.status = await client.call(readStatus, this.about(this.entry.request));
    } else {
      try {
        const call = { body: plan.body, key: plan.key, ...this.signalled() };
        this.status =
          plan.supersedes === null
            ? await client.call(create, call)
            : await client.call(supersede, { ...call, id: plan.supersedes });
      } catch (fault) {
        if (!isCode(fault, 'idempotency_conflict', 'occurrence_unavailable')) throw fault;
        const found = await this.newest();
        if (found === null) throw new AlreadyUsed(plan.occurrence);
        this.status = found;
      }
    }
    this.requireSame();
    await this.note({ request: this.id });
    const { id, status } = this;
    if (status?.decision_state === 'pending')
      this.guarding.options.onAsked?.({
        ...{ id, occurrence: plan.occurrence, reviewLink: status.review_link },
      });
  }

  /** The newest request of the occurrence; null when the service knows none any more. */
  async newest(): Promise<RequestStatus | null> {
    const query = { occurrence: this.plan.occurrence };
    const { items } = await this.client.call(list, { query, ...this.signalled() });
    const [first] = items;
    if (first === undefined) return null;
    const found = await this.client.call(readStatus, this.about(first.id));
    // A service that does not know the parameter gives other requests.
    const same = found.request.execution?.action_occurrence_id === this.plan.occurrence;
    return same ? found : null;
  }

  /** Takes a newer request of the occurrence, if there is one. */
  async takeNewer(): Promise<boolean> {
    const newest = await this.newest();
    if (newest === null || newest.request.id === this.id) return false;
    this.status = newest;
    this.requireSame();
    await this.note({ request: this.id });
    return true;
  }

  private requireSame(): void {
    const { execution } = (this.status as RequestStatus).request;
    const isSame =
      execution?.action_occurrence_id === this.plan.occurrence &&
      execution.proposal_digest === this.proposal;
    if (!isSame) throw new ArgumentsChanged(this.id);
  }

  /** Waits until the grant is available, or cannot become so. */
  async wait(): Promise<void> {
    const { signal, timeout } = this.call;
    this.status = await this.client.until(this.id, 'available', {
      ...(signal !== undefined && { signal }),
      ...(timeout !== undefined && { timeout }),
    });
  }

  /** Waits for the outcome of another process, until that time of the service at the latest. */
  async follow(until: number): Promise<void> {
    this.throwIfAborted();
    const most = this.isDurable ? TRY_HOLD_MS : PERSON_MS;
    const timeout = Math.min(most, Math.max(RETRY_MS, until - this.now));
    const { signal } = this.call;
    try {
      this.status = await this.client.until(this.id, 'settled', {
        timeout,
        ...(signal !== undefined && { signal }),
      });
    } catch (fault) {
      if (!(fault instanceof WaitEnded)) throw fault;
      this.throwIfAborted();
      await this.refresh();
    }
    if (this.holdState !== 'taken') return;
    // Meanwhile its holder may have noted the end, or have died.
    this.holdState = 'free';
    const { journal, entry } = this as unknown as { journal: Journal; entry: Entry };
    this.know((await journal.read(entry.key)) ?? entry);
  }

  private throwIfAborted(): void {
    if (this.isAborted) throw new WaitEnded('aborted');
  }

  async refresh(): Promise<void> {
    this.status = await this.client.until(this.id, 'decided');
  }

  /** The exclusive right to act, and with it what the journal knows. */
  async takeHold(): Promise<void> {
    if (!this.isDurable) {
      this.identity ??= this.newIdentity();
      this.holdState = 'held';
      return;
    }
    const { journal, entry } = this as unknown as { journal: Journal; entry: Entry };
    this.hold = await journal.hold(entry.key);
    if (this.hold === null) {
      this.holdState = 'taken';
      return;
    }
    const { place } = this.hold;
    this.holdState = 'held';
    const known = (await journal.read(entry.key)) ?? entry;
    this.know(known);
    this.isFenced = await this.hold.isFenced();
    this.sent = known.launch;
    if (this.sent !== null) this.launch = this.sent.place === place ? 'sent' : 'elsewhere';
    if (this.identity === null) {
      this.identity = this.newIdentity();
      await this.write({ identity: this.identity });
    }
  }

  private newIdentity(): string {
    return `guard-${this.guarding.runtime.random()}`;
  }

  async claim(): Promise<void> {
    const { id, client } = this;
    const { execution } = (this.status as RequestStatus).request;
    const body = {
      execution_identity: this.identity as string,
      execution_binding_digest: digestOf(execution),
    };
    const key = keyOf('claim', client.tenant as string, client.producer as string, id);
    try {
      await this.readMaterial();
      const record = await client.call(claim, { id, body, key });
      this.status = {
        ...(this.status as RequestStatus),
        ...{ claim: record, grant_state: 'consumed', execution_state: 'claimed' },
      };
    } catch (fault) {
      if (isCode(fault, 'occurrence_consumed', 'identity_conflict'))
        throw new AlreadyUsed(this.plan.occurrence);
      await this.recoverFrom(fault as Error);
    }
  }

  private async readMaterial(): Promise<void> {
    if (this.hasMaterial) return;
    try {
      const { candidate } = await this.client.call(material, { id: this.id });
      this.response = candidate?.response;
    } catch (fault) {
      if (!isCode(fault, 'material_deleted')) throw fault;
    }
    this.hasMaterial = true;
  }

  async launchIt(): Promise<void> {
    const { runtime } = this.guarding;
    const wasSent = this.launch === 'sent';
    const server = this.client.serverTime();
    const now = {
      boot: runtime.boot,
      monotonic: runtime.monotonic(),
      wall: runtime.wall(),
      server,
    };
    if (this.sent === null) {
      this.sent = { place: this.hold?.place ?? runtime.boot, ...now };
      if (this.isDurable) await this.write({ launch: this.sent });
    }
    const first = this.sent;
    try {
      await this.readMaterial();
      const record = await this.client.call(admit, {
        id: this.id,
        body: { ...this.claimed, nonce: this.nonce },
      });
      this.admitted(payloadOf<AdmissionStatus>(record) as AdmissionStatus, { ...first, ...now });
    } catch (fault) {
      const isExplained = wasSent || (fault instanceof ServiceRefusal && fault.afterUnanswered);
      if (isCode(fault, 'nonce_reused')) {
        await this.look();
        if (isExplained && isAfter(this.found, first)) this.admitted(this.found, first);
        else this.launch = 'unexplained';
        return;
      }
      this.cause = fault;
      if (fault instanceof VerificationFailed) this.launch = 'over';
      else if (fault instanceof ServiceRefusal && fault.retry === 'never')
        this.launch = isExplained ? 'over' : 'refused';
      else {
        if (fault instanceof Unreachable && fault.effect === 'unknown') this.launch = 'sent';
        await this.recoverFrom(fault as Error);
        return;
      }
      await this.refresh();
    }
  }

  private found: AdmissionStatus | null = null;

  /** The deadline is counted from before the first attempt (protocol §15.6). */
  private admitted(permit: AdmissionStatus, from: Launch): void {
    const { dispatch_before, checked_at, execution_seconds } = permit;
    const valid = Date.parse(dispatch_before) - Date.parse(checked_at);
    this.launch = 'admitted';
    this.permit = { checkedAt: Date.parse(checked_at) };
    this.deadline = {
      start: from.monotonic + valid,
      window: from.monotonic + execution_seconds * 1_000,
      from,
    };
  }

  get claimed(): { claim_id: string; execution_identity: string } {
    const { id, execution_identity } = payloadOf<ExecutionClaim>(
      this.status?.claim ?? null,
    ) as ExecutionClaim;
    return { claim_id: id, execution_identity };
  }

  /** One for each claim: the service admits it once. */
  get nonce(): string {
    return `launch-${keyOf('countersign.guard/1', digestOf(this.status?.claim)).slice('cs1-'.length)}`;
  }

  /** Reads the launch permit of the claim, whosever it is. */
  async look(): Promise<void> {
    const { records } = await this.client.call(auditExport, { id: this.id });
    const claimDigest = digestOf(this.status?.claim);
    this.found =
      records
        .filter((record) => record.protected.type === 'AdmissionStatus')
        .map((record) => payloadOf<AdmissionStatus>(record) as AdmissionStatus)
        .find(({ nonce, claim_digest: of }) => nonce === this.nonce && of === claimDigest) ?? null;
    this.permit = this.found === null ? 'none' : { checkedAt: Date.parse(this.found.checked_at) };
  }

  async revoke(): Promise<void> {
    const { client, id } = this;
    const key = keyOf('revoke', client.tenant as string, client.producer as string, id);
    await client.call(revoke, { id, body: {}, key });
    this.hasRevoked = true;
    this.permit = 'unread';
    await this.refresh();
  }

  /**
   * Passes the fence, durably. False when the function must not start: another process passed it, the hold was lost, or the
   * journal cannot write.
   */
  async fence(): Promise<boolean> {
    if (this.hold === null) return true;
    try {
      if (await this.hold.fence()) return true;
      this.isFenced = true;
    } catch (fault) {
      this.cause = fault;
      if (this.hold.isHeld()) this.launch = 'over';
      else this.holdState = 'taken';
    }
    return false;
  }

  /**
   * Notes an end; without a journal that can, it stays in this process alone.
   *
   * @param isSeen whether this process ran the function, or knows that it did not
   */
  async setEnd(outcome: ExecutionOutcome, result: string | null, isSeen: boolean): Promise<void> {
    this.end = { outcome, result };
    this.isEndKept = false;
    try {
      if (!isSeen && this.isDurable && this.journal !== null && this.entry !== null) {
        // The process that saw the end knows better.
        const now = await this.journal.read(this.entry.key);
        if (now === null) return;
        if (now.end !== null) return this.know(now);
        this.entry = now;
        const { key, version } = now;
        const written = await this.journal.advance(key, version, { end: this.end });
        if (written === null) return await this.setEnd(outcome, result, isSeen);
        this.entry = written;
        this.isEndKept = true;
      } else this.isEndKept = (await this.note({ end: this.end })) && this.isDurable;
    } catch {
      // Not kept.
    }
  }

  /** After a refusal that a fresh look at the request may explain. */
  async recoverFrom(fault: Error): Promise<void> {
    const refusal = fault instanceof ServiceRefusal ? fault : null;
    const why = refusal === null ? undefined : LAPSES[refusal.code];
    if (why !== undefined) throw new Lapsed(this.id, why, fault);
    const mayPass = refusal === null ? isAway(fault) : refusal.retry !== 'never';
    if (!mayPass && !isCode(fault, ...STALE)) throw fault;
    const isForPerson = refusal?.retry === 'person';
    await this.pause(isForPerson ? PERSON_MS : undefined);
    // With a claim there is something to report first.
    if (this.status?.claim === null) this.throwIfAborted();
    await this.refresh();
  }

  /** The service's answer to a report. */
  recorded(record: SignedRecord): void {
    const status = this.status as RequestStatus;
    this.status = { ...status, outcome: record };
  }

  async pause(ms?: number): Promise<void> {
    const own = Math.min(MOST_RETRY_MS, RETRY_MS * 2 ** this.faults);
    this.faults += 1;
    await this.guarding.runtime.sleep(ms ?? own, this.call.signal);
  }

  /** Changes the entry, which this process alone may change now. */
  private async write(change: Change): Promise<void> {
    const { journal, entry } = this;
    if (journal === null || entry === null) return;
    const written = await journal.advance(entry.key, entry.version, change);
    if (written === null) {
      this.holdState = 'taken';
      throw new Error(`the entry ${entry.key} was changed by another process`);
    }
    this.entry = written;
  }

  /**
   * Changes the entry where another process may have changed it meanwhile; false where there is none, or no longer: a journal may be
   * lost while its process runs, and safety does not rest on it.
   */
  async note(change: Change): Promise<boolean> {
    const { journal } = this;
    if (journal === null || this.entry === null) return false;
    for (;;) {
      const entry: Entry = this.entry;
      const isNew = Object.entries(change).some(
        ([name, value]) =>
          digestOf(value ?? null) !== digestOf(entry[name as keyof Change] ?? null),
      );
      if (!isNew) return true;
      const written = await journal.advance(entry.key, entry.version, change);
      const now = written ?? (await journal.read(entry.key));
      if (now === null) return false;
      this.entry = now;
      if (written !== null) return true;
    }
  }

  async release(): Promise<void> {
    await this.hold?.release();
    this.hold = null;
  }

  private about(id: string) {
    return { id, ...this.signalled() };
  }

  private signalled() {
    const { signal } = this.call;
    return signal === undefined ? {} : { signal };
  }
}

/** Refusals of a claim that a newer look at the request explains. */
const STALE = ['pending_anchor', 'grant_unavailable', 'idempotency_conflict'] as const;

/** Refusals of a claim that say that there is no authority. */
const LAPSES: Readonly<Record<string, LapseReason | undefined>> = {
  grant_expired: 'grant_expired',
  authority_revoked: 'revoked',
  namespace_retired: 'namespace_retired',
};

export function isCode(fault: unknown, ...codes: readonly string[]): fault is ServiceRefusal {
  return fault instanceof ServiceRefusal && codes.includes(fault.code);
}

/** Whether the service could not be asked, for a while. */
export function isAway(fault: unknown): boolean {
  return fault instanceof Unreachable && !(fault.cause instanceof AnswerInvalid);
}

export function payloadOf<Payload>(record: SignedRecord | null): Payload | null {
  return record === null ? null : (record.payload as unknown as Payload);
}

/** Whether the permit can be the answer to that call; the service's clock is known to the second. */
function isAfter(permit: AdmissionStatus | null, { server }: Launch): permit is AdmissionStatus {
  return permit !== null && (server === null || Date.parse(permit.checked_at) >= server - 2_000);
}

function newestTime(status: RequestStatus | null): number {
  if (status === null) return 0;
  const records = [status.receipt, status.claim, status.outcome];
  const times = records
    .map((record) => Date.parse(record?.protected.issued_at ?? ''))
    .filter(Boolean);
  return Math.max(Date.parse(status.request.accepted_at), ...times);
}
