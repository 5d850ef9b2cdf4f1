import { randomBytes, randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { valueDigest } from '@countersign/protocol';
import type { Answer } from '../../support/client.js';
import { executionInput } from '../../support/requests.js';
import type { Cast } from '../../fault/support/fixture.js';

/** Only to end a run that hangs. */
const GRANT_WITHIN_MS = 120_000;
const CALL_WITHIN_MS = 30_000;
/** Between two lifecycles of a client: enough to be there all the time, and not as much as there can be. */
const PAUSE_MS = 250;
const LIFECYCLE_WITHIN_MS = 180_000;

/** What callers saw that repeat nothing. */
export interface Seen {
  lifecycles: number;
  calls: number;
  slowestMs: number;
  readonly failed: Failure[];
}

export interface Failure {
  /** When its call began, as `performance.now` counts. */
  readonly begun: number;
  /** Which call, how it failed, and after how long. */
  readonly said: string;
}

/** A call failed, which is counted already. */
class CallFailed extends Error {}

export interface Load {
  /** What was seen since the last time it was asked. */
  since(): Seen;
  /** Resolves when that many lifecycles more are complete. */
  more(lifecycles: number): Promise<void>;
  stop(): Promise<void>;
}

/** As clients do that wait no longer; one whose gateway is gone hears nothing more. */
async function tooLate(): Promise<never> {
  await delay(CALL_WITHIN_MS, undefined, { ref: false });
  throw new Error('no answer');
}

export function saidOf(failures: readonly Failure[]): string[] {
  return failures.map(({ said }) => said);
}

const nothing = (): Seen => ({ lifecycles: 0, calls: 0, slowestMs: 0, failed: [] });

/** Whole lifecycles, several at once, without a single retry: a call that fails ends its lifecycle and is counted. */
export function startLoad(cast: Cast, atOnce: number): Load {
  const { demo, producer, reviewer } = cast;
  let seen = nothing();
  let complete = 0;
  let loading = true;

  async function call(name: string, ask: () => Promise<Answer>): Promise<Answer> {
    const begin = performance.now();
    seen.calls += 1;
    let outcome: string;
    try {
      const answer = await Promise.race([ask(), tooLate()]);
      if (answer.status < 300) return answer;
      outcome = `${answer.status} ${answer.body?.error}`;
    } catch (error) {
      outcome = String((error as { cause?: { code?: string } }).cause?.code ?? error);
    } finally {
      seen.slowestMs = Math.max(seen.slowestMs, Math.round(performance.now() - begin));
    }
    const said = `${name}: ${outcome} after ${Math.round(performance.now() - begin)} ms`;
    seen.failed.push({ begun: begin, said });
    throw new CallFailed(said);
  }

  async function lifecycle(): Promise<void> {
    const note = `note_${randomUUID().replaceAll('-', '')}`;
    const schema = { type: 'object', properties: { [note]: { type: 'string' } } };
    const created = await call('create', () =>
      producer.post('/v2/requests', executionInput(demo, { response_schema: schema })),
    );
    const path = `/v2/requests/${created.body.request.id}`;
    const candidate = await call('propose', () =>
      reviewer.post(`${path}/candidates`, { response: { [note]: 'seen' }, decision: 'authorise' }),
    );
    const confirmation = {
      candidate_id: candidate.body.id,
      candidate_digest: valueDigest(candidate.body),
    };
    await call('confirm', () => reviewer.post(`${path}/confirm`, confirmation));
    const confirmed = performance.now();
    for (; ; await delay(50)) {
      const status = await call('status', () => producer.get(path));
      if (status.body.grant_state === 'available') break;
      if (performance.now() > confirmed + GRANT_WITHIN_MS)
        throw new Error('the grant did not come');
    }
    const identity = `executor/${randomUUID()}`;
    const claim = await call('claim', () =>
      producer.post(`${path}/claims`, {
        execution_identity: identity,
        execution_binding_digest: valueDigest(created.body.request.execution),
      }),
    );
    const nonce = randomBytes(24).toString('base64url');
    await call('admit', () =>
      producer.post(
        `${path}/admission`,
        { claim_id: claim.body.payload.id, nonce, execution_identity: identity },
        { key: null },
      ),
    );
    await call('report', () =>
      producer.post(`${path}/outcomes`, {
        execution_identity: identity,
        status: 'completed',
        details: {},
      }),
    );
    complete += 1;
    seen.lifecycles += 1;
  }

  const running = Array.from({ length: atOnce }, async () => {
    while (loading) {
      const begun = performance.now();
      await lifecycle().catch((error: Error) => {
        if (!(error instanceof CallFailed)) seen.failed.push({ begun, said: error.message });
      });
      await delay(PAUSE_MS);
    }
  });

  return {
    since() {
      const was = seen;
      seen = nothing();
      return was;
    },
    async more(lifecycles) {
      const enough = complete + lifecycles;
      let last = { complete, at: performance.now() };
      while (complete < enough) {
        if (complete > last.complete) last = { complete, at: performance.now() };
        if (performance.now() > last.at + LIFECYCLE_WITHIN_MS)
          throw new Error(`no lifecycle completes: ${saidOf(seen.failed).slice(0, 5).join('; ')}`);
        await delay(50);
      }
    },
    async stop() {
      loading = false;
      await Promise.all(running);
    },
  };
}
