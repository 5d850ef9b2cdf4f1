import { operationNamed } from '@countersign/protocol';
import type { Answer } from '../support/client.js';
import { Client } from '../support/client.js';
import { callOf } from './call.js';
import type { Call } from './call.js';
import type { Caller } from './caller.js';
import type { Effects, Place } from './effects.js';
import { pick } from './pool.js';
import type { Kept, Pool } from './pool.js';
import { nextStep } from './advance.js';
import { plainCall } from './step.js';
import type { CallStep, Step } from './step.js';
import type { Tally } from './tally.js';
import { faultIn, replayFault, twinFault } from './verdict.js';

/** Checkpoints are at most 5 s apart (R17) and in a quiet tenant follow a decision at once. */
const ANCHORED_WITHIN_MS = 15_000;

/** Something that must not be, with the calls that led to it. */
export class Finding extends Error {
  override readonly name = 'Finding';
  constructor(
    /** The same for the same kind of fault, from any cause. */
    readonly signature: string,
    readonly calls: readonly string[],
  ) {
    super(`${signature}\n${calls.join('\n')}`);
  }
}

export interface ChainParts {
  readonly pool: Pool;
  readonly effects: Effects;
  readonly tally: Tally;
  /** Whether to look for effects of this refusal, by the number of the call. */
  readonly watches: (call: number) => boolean;
}

/** Plays the steps against the service; throws a {@link Finding} at the first answer that must not be. */
export async function playChain(parts: ChainParts, steps: readonly Step[]): Promise<void> {
  const chain = new Chain(parts);
  for (const step of steps) {
    if (step.does === 'advance') await chain.advance(step);
    else if (step.does === 'replay') await chain.replay(step.which);
    else await chain.call(step);
  }
}

class Chain {
  readonly #client: Client;
  readonly #log: string[] = [];

  constructor(private readonly parts: ChainParts) {
    this.#client = new Client(parts.pool.cast.demo.origin, null);
  }

  async call(step: CallStep): Promise<Answer> {
    const { pool } = this.parts;
    const operation = operationNamed(step.operation);
    const call = callOf(pool, operation, step);
    if (step.twice) return this.#twice(call);
    const watched = this.parts.watches(this.parts.tally.calls);
    const place = placeOf(pool, call);
    const before = watched ? await this.parts.effects.before(place) : null;
    const answer = await this.#send(call);
    if (before !== null && answer.status >= 400) {
      this.parts.tally.watched += 1;
      const effect = await this.parts.effects.since(place, before);
      if (effect !== null) this.#fail(call, answer, `a refusal has an effect on ${effect}`);
    }
    return answer;
  }

  /** Asks for a request's status and takes the next step, waiting for its anchor. */
  async advance(step: Extract<Step, { does: 'advance' }>): Promise<void> {
    const request = this.parts.pool.request(step.target);
    if (request === undefined) return;
    const target = this.parts.pool.requests.indexOf(request);
    const asked = plainCall('request.status', { target, caller: this.#indexOf(request.owner) });
    const given = Date.now() + ANCHORED_WITHIN_MS;
    for (let pause = 10; ; pause = Math.min(2 * pause, 200)) {
      const { status } = await this.call(asked);
      // A disabled caller cannot see this.
      if (status !== 200 || request.status.grant_state !== 'pending_anchor') break;
      if (Date.now() > given) throw new Finding('a decision is not anchored', this.#log);
      await new Promise((resume) => setTimeout(resume, pause));
    }
    for (const { operation, caller } of nextStep(request, this.parts.pool, step.draft.choice)) {
      const { draft } = step;
      await this.call(plainCall(operation, { target, caller: this.#indexOf(caller), draft }));
    }
  }

  async replay(which: number): Promise<void> {
    const { kept } = this.parts.pool;
    if (kept.length === 0) return;
    const told = pick(kept, which);
    const operation = operationNamed(told.operation);
    const call = { ...told, operation, target: undefined, again: undefined };
    const answer = await this.#send(call);
    this.parts.tally.replays += 1;
    const fault = replayFault(told, answer);
    if (fault === null || (answer.status === 404 && (await this.#isGone(told)))) return;
    this.#fail(call, answer, fault);
  }

  /** Whether the request of the call is no longer there. */
  async #isGone({ path }: Kept): Promise<boolean> {
    const { effects, pool } = this.parts;
    const id = /^\/v2\/requests\/([^/]+)\//.exec(path)?.[1];
    return id !== undefined && effects.isGone(pool.cast.demo.tenant, id);
  }

  async #twice(call: Call): Promise<Answer> {
    const [one, other] = await Promise.all([this.#send(call), this.#send(call)]);
    const fault = call.key === null ? null : twinFault(one, other);
    if (fault !== null) this.#fail(call, other, fault);
    return one;
  }

  async #send(call: Call): Promise<Answer> {
    const { pool, tally } = this.parts;
    const { operation, caller, path, headers, raw } = call;
    this.#log.push(describe(call));
    const line = this.#log.length - 1;
    let answer: Answer;
    try {
      const options = { key: null, headers, ...(raw === null ? {} : { raw }) };
      const body = raw === null ? undefined : {};
      answer = await this.#client.call(operation.method, path, body, options);
    } catch (error) {
      throw new Finding(`${operation.name}: ${this.#reason(error)}`, this.#log);
    }
    this.#log[line] += ` → ${answer.status} ${answer.body?.error ?? ''}`;
    tally.count(operation.name, answer);
    const fault = faultIn(call, answer, pool.cast, pool.callers);
    if (fault !== null) this.#fail(call, answer, fault);
    if (answer.status < 300) {
      pool.learn(operation.name, caller, call.target, answer);
      this.#keep(call, answer);
    }
    return answer;
  }

  #keep(call: Call, { status, text }: Answer): void {
    const { key, raw, caller, path, headers } = call;
    if (key === null || raw === null) return;
    const operation = call.operation.name;
    this.parts.pool.kept.push({ operation, caller, path, headers, key, raw, status, text });
  }

  #fail({ operation }: Call, { status, body, text }: Answer, fault: string): never {
    const code = body?.error ?? '';
    const calls = [...this.#log, `answer: ${text.slice(0, 600)}`];
    throw new Finding(`${operation.name} ${status} ${code}: ${fault}`, calls);
  }

  /** The rule that an answer broke, without the parts that differ from run to run. */
  #reason(error: unknown): string {
    const { message, cause } = error as Error;
    const said = message.replace(/^\S+ \S+ /, '').slice(0, 300);
    return cause instanceof Error ? `${said} (${cause.message})` : said;
  }

  #indexOf(caller: Caller): number {
    return this.parts.pool.callers.indexOf(caller);
  }
}

function placeOf({ cast }: Pool, { target, caller, key }: Call): Place {
  return {
    tenant: cast.demo.tenant,
    request: target?.id ?? null,
    owner: target?.owner.id ?? caller.id,
    caller: caller.id,
    key,
  };
}

/** One line that says all of a call that can be said without its secrets. */
function describe({ operation, caller, path, headers, raw, key }: Call): string {
  const secret = ['authorization', 'cookie', 'x-csrf-token', 'origin', 'content-type'];
  const told = Object.entries(headers).filter(
    ([name, value]) => !secret.includes(name) || value.length < 40,
  );
  const shown =
    raw === null ? '' : ` ${raw.length > 2500 ? `${raw.slice(0, 2500)}… (${raw.length})` : raw}`;
  const keyed = key === null ? '' : ` key ${key.slice(0, 40)}`;
  return `${operation.method} ${path.slice(0, 200)} as ${caller.name}${keyed} ${JSON.stringify(told)}${shown}`;
}
