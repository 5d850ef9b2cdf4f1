import {
  ServiceRefusal,
  VerificationFailed,
  digestOf,
  keyOf,
  material,
  reportOutcome,
} from '@countersign/client';
import type { ExecutionOutcome, JsonObject, JsonValue } from '@countersign/client';

import { classified, endOf, isKept, outcomeOfProbe, resultOf } from './ends.js';
import { Conflict, Lapsed, OutcomeUnknown, Refused } from './errors.js';
import { execute } from './execute.js';
import type { Watch } from './execute.js';
import type { Closed } from './journal.js';
import { isAway, isCode } from './life.js';
import type { Life } from './life.js';
import { next } from './next.js';
import type { Action, ProbeAnswer } from './options.js';
import { runKeyOf } from './plan.js';

const PROBE_MS = 30_000;
const MOST_REASON = 1_000;

/** What a life needs of its guard besides its calls. */
export interface Driver<A, T> {
  readonly action: Action<A, T>;
  readonly args: A;
  readonly watch: Watch;
}

/**
 * Goes on with an occurrence, from wherever it is, to its end, and gives the result of the function.
 *
 * @throws the errors of docs/guard.md
 */
export async function drive<A, T>(life: Life<A>, driver: Driver<A, T>): Promise<T> {
  try {
    for (;;) {
      const { runtime } = life.guarding;
      const { ledger, own, permit, windowMs, now } = life;
      const { foreignMs, marginMs } = runtime;
      const step = next({ now, ledger, own, permit, foreignMs, windowMs, marginMs });
      switch (step.do) {
        case 'ask':
          await life.ask();
          break;
        case 'wait':
          await life.wait();
          break;
        case 'hold':
          await life.takeHold();
          break;
        case 'claim':
          await life.claim();
          break;
        case 'launch':
          await life.launchIt();
          break;
        case 'follow':
          await life.follow(step.until);
          break;
        case 'look':
          await life.look();
          break;
        case 'revoke':
          await life.revoke();
          break;
        case 'start':
          await start(life, driver);
          break;
        case 'probe':
          await probe(life, driver, life.cause);
          break;
        case 'cancel':
          await cancel(life);
          break;
        case 'uncertain':
          await setEnd(life, 'uncertain', {});
          break;
        case 'report':
          await report(life);
          return await conclude(life);
        case 'settled':
          return await conclude(life);
        case 'unknown':
          throw new OutcomeUnknown(life.id, life.cause);
        case 'refused':
          if (await life.takeNewer()) break;
          throw await refused(life);
        case 'lapsed':
          if (await life.takeNewer()) break;
          await close(life, 'lapsed');
          throw new Lapsed(life.id, step.why);
      }
    }
  } finally {
    await life.release();
  }
}

/** Passes the fence and runs the function. The fence is durable before the function begins. */
async function start<A, T>(life: Life<A>, { action, args, watch }: Driver<A, T>): Promise<void> {
  if (!(await life.fence())) return;
  // The fence takes time too. Only this process knows that nothing began behind it.
  if (!life.isInTime() || life.isAborted) return cancel(life);
  life.hasStarted = true;
  const ran = await execute(life, action, args, watch);
  const { end, startedAt, endedAt, permits, notes } = ran;
  const { options } = life.guarding;
  if (end.kind !== 'open') life.ending = end;
  const seen = classified(end, options.classify);
  const details = { ...notes, started_at: startedAt, ended_at: endedAt, permits };
  if (seen.status === 'unseen') {
    const cause =
      end.kind === 'threw' ? end.error : new Error(`stopped: ${(end as { why: string }).why}`);
    life.cause = cause;
    life.ending = { kind: 'threw', error: new OutcomeUnknown(life.id, cause) };
    return probe(life, { args, action, watch }, cause, details);
  }
  if (seen.status === 'completed' && end.kind === 'returned') {
    const result = resultOf(end.value);
    const digest = result === null ? {} : { result_digest: result.digest };
    const isToKeep = options.keepResult !== false && result !== null && isKept(result.text);
    const kept = isToKeep ? result.text : null;
    return setEnd(life, 'completed', { ...details, ...digest }, kept);
  }
  life.ending = { kind: 'threw', error: seen.error };
  const reason = seen.error?.reason.slice(0, MOST_REASON);
  return setEnd(life, seen.status, { ...details, ...(reason !== undefined && { reason }) });
}

/** Asks the outside world, where the guard can, what became of a launch. */
async function probe<A, T>(
  life: Life<A>,
  { args }: Driver<A, T>,
  cause: unknown,
  details: JsonObject = {},
): Promise<void> {
  const { options, runtime, client } = life.guarding;
  life.probe = 'unknown';
  const about = { key: runKeyOf(client, life.plan.occurrence), requestId: life.id };
  const asked = async (): Promise<ProbeAnswer> => (await options.probe?.(args, about)) ?? 'unknown';
  const answered = new AbortController();
  const late = runtime.sleep(PROBE_MS, answered.signal);
  const answer = await Promise.race([
    asked().catch((): ProbeAnswer => 'unknown'),
    late.then((): ProbeAnswer => 'unknown'),
  ]);
  answered.abort();
  const status = outcomeOfProbe(answer);
  if (status === 'uncertain') return setEnd(life, status, details);
  life.cause = cause;
  await setEnd(life, status, { ...details, seen_by: 'probe' });
  life.ending = null;
}

async function cancel<A>(life: Life<A>): Promise<void> {
  await setEnd(life, 'cancelled_before_dispatch', {});
  const error =
    life.cause instanceof VerificationFailed
      ? life.cause
      : new Lapsed(life.id, 'cancelled_before_dispatch', life.cause);
  life.ending = { kind: 'threw', error };
}

async function setEnd<A>(
  life: Life<A>,
  status: ExecutionOutcome['status'],
  details: JsonObject,
  result: string | null = null,
): Promise<void> {
  const { client, options } = life.guarding;
  const outcome: ExecutionOutcome = {
    execution_identity: life.claimed.execution_identity,
    status,
    details: {
      ...details,
      guard: 'countersign.guard/1',
      anchor_store: client.looksUpAnchors ? 'checked' : 'unchecked',
    },
  };
  const sealed = result === null ? null : await (options.seal?.seal(result) ?? result);
  await life.setEnd(outcome, sealed, life.hasStarted);
}

/**
 * Reports the end. A service that is away does not change what happened: the journal keeps the end for `resumeAll`; without
 * one the report is tried until the service would not take it any more.
 */
async function report<A>(life: Life<A>): Promise<void> {
  const { client, options, runtime } = life.guarding;
  const body = life.end?.outcome as ExecutionOutcome;
  const { id } = life;
  const parts = [client.tenant as string, client.producer as string, id, digestOf(body)];
  const key = keyOf('outcome', ...parts);
  const ends = Date.parse(life.status?.request.private_delete_at ?? '');
  for (;;) {
    try {
      const record = await client.call(reportOutcome, { id, body, key });
      life.recorded(record);
      return;
    } catch (fault) {
      if (isCode(fault, 'outcome_conflict')) {
        await life.refresh();
        throw new Conflict(id, life.status?.outcome ?? null);
      }
      const isLater = fault instanceof ServiceRefusal && fault.retry !== 'never';
      const mayCome = isAway(fault) || isLater;
      const goesOn = mayCome && !life.isEndKept && !life.isAborted && runtime.wall() < ends;
      if (!goesOn) {
        options.onUnreported?.(life.plan.occurrence, fault);
        return;
      }
      await life.pause();
    }
  }
}

/** Gives the result, or throws what the end means. */
async function conclude<A, T>(life: Life<A>): Promise<T> {
  const record = life.status?.outcome ?? null;
  if (record !== null) {
    const { outcome } = record.payload as unknown as { outcome: ExecutionOutcome };
    if (outcome.status !== 'uncertain') await close(life, outcome.status);
  }
  if (life.ending?.kind === 'returned') return life.ending.value as T;
  if (life.ending?.kind === 'threw') throw life.ending.error;
  const outcome =
    record === null
      ? life.end?.outcome
      : (record.payload as unknown as { outcome: ExecutionOutcome }).outcome;
  const kept = outcome?.status === 'completed' ? life.entry?.end?.result : null;
  if (typeof kept === 'string') return (await opened(life, kept)) as T;
  if (record === null) throw new OutcomeUnknown(life.id, life.cause);
  throw endOf(life.id, record, life.cause);
}

export async function opened<A>(life: Life<A>, kept: string): Promise<JsonValue> {
  return JSON.parse(await (life.guarding.options.seal?.open(kept) ?? kept)) as JsonValue;
}

async function close<A>(life: Life<A>, status: Closed['status']): Promise<void> {
  const at = new Date(life.guarding.runtime.wall()).toISOString();
  if (life.entry?.closed?.status === status) return;
  await life.note({ plan: null, closed: { status, at } });
}

async function refused<A>(life: Life<A>): Promise<Refused> {
  const { client } = life.guarding;
  const { id, status } = life;
  await close(life, 'refused');
  const receipt = status?.receipt as NonNullable<NonNullable<typeof status>['receipt']>;
  try {
    const { candidate } = await client.call(material, { id });
    return new Refused(id, receipt, candidate?.response);
  } catch (fault) {
    if (!isCode(fault, 'material_deleted')) throw fault;
    return new Refused(id, receipt, undefined);
  }
}
