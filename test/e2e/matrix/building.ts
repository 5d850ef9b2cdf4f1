import { randomUUID } from 'node:crypto';
import { valueDigest } from '@countersign/protocol';
import type { Answer, Client } from '../../support/client.js';
import { executionBinding, executionInput, reviewInput, until } from '../../support/requests.js';
import type { Place } from './plan.js';
import type { Situation } from './reading.js';
import type { Scenario } from './scenarios.js';

/** A call with a key that led to a state, and its answer. */
export interface Step {
  readonly call: string;
  readonly client: Client;
  readonly path: string;
  readonly body: unknown;
  readonly key: string;
  readonly answer: Answer;
}

/** A request that was brought into a situation. */
export interface Built {
  readonly situation: Situation;
  readonly id: string;
  readonly owner: Client;
  readonly input: Record<string, unknown>;
  readonly steps: readonly Step[];
  /** Frozen answers, by the reviewer's place. */
  readonly candidates: readonly [Confirmation | null, Confirmation | null];
  /** Of the claim, when there is one. */
  readonly claim: { readonly id: string; readonly identity: string } | null;
  /** The reported outcome on record. */
  readonly outcome: Outcome | null;
}

interface Confirmation {
  readonly candidate_id: string;
  readonly candidate_digest: string;
}

export interface Outcome {
  readonly execution_identity: string;
  readonly status: string;
  readonly details: object;
}

/** A situation was not reached because a deadline came before its time. */
class TooLate extends Error {}

/**
 * Brings a new request into a situation by the steps that the table names, but for the last that is a wait: many wait
 * together ({@link awaitSituation}). Deadlines that must pass are short; on a busy machine they can pass too soon, and
 * the next attempt gets twice the time.
 */
export async function build({ scenario, situation }: Place): Promise<Built> {
  for (let seconds = 2; ; seconds *= 2) {
    try {
      return await new Building(scenario, situation, seconds).run();
    } catch (error) {
      if (!(error instanceof TooLate) || seconds > 30) throw error;
    }
  }
}

const LATE = ['request_not_pending', 'grant_expired', 'authority_revoked', 'material_deleted'];

class Building {
  #id = '';
  #input: Record<string, unknown> = {};
  readonly #steps: Step[] = [];
  readonly #candidates: [Confirmation | null, Confirmation | null] = [null, null];
  #claim: Built['claim'] = null;
  #outcome: Outcome | null = null;

  constructor(
    private readonly scenario: Scenario,
    private readonly situation: Situation,
    private readonly seconds: number,
  ) {}

  async run(): Promise<Built> {
    const { steps } = this.situation;
    await this.#create();
    if (steps.length > 0) await this.#post('assignment', this.#reviewer(0), {});
    for (const step of steps) if (!step.endsWith(' over')) await this.#take(step);
    return {
      situation: this.situation,
      id: this.#id,
      owner: this.scenario.owner,
      input: this.#input,
      steps: this.#steps,
      candidates: this.#candidates,
      claim: this.#claim,
      outcome: this.#outcome,
    };
  }

  async #create(): Promise<void> {
    const { seconds } = this;
    const { steps, purpose } = this.situation;
    const passes = (what: string) => steps.includes(`${what} over`);
    const route = await this.scenario.route(
      passes('retention')
        ? {
            review_seconds: seconds,
            grant_seconds: seconds,
            execution_seconds: 1,
            reconciliation_seconds: 1,
          }
        : {},
    );
    const execution = executionBinding({
      execution_seconds: 1,
      ...(passes('grant') || passes('execution')
        ? { valid_until: new Date(Date.now() + seconds * 1000).toISOString() }
        : {}),
    });
    const changes = {
      route,
      bundle_id: this.scenario.bundle,
      ...(passes('review') ? { review_seconds: seconds } : {}),
    };
    const agentUi = { 'proto.agent-ui': '2' };
    this.#input =
      purpose === 'review'
        ? reviewInput(this.scenario.demo, { ...changes, profiles: agentUi })
        : executionInput(this.scenario.demo, {
            ...changes,
            execution,
            profiles: { 'proto.execution': '1-draft.1', ...agentUi },
          });
    const { body } = await this.#call('create', this.scenario.owner, '/v2/requests', this.#input);
    this.#id = body.request.id;
  }

  async #take(step: string): Promise<void> {
    const { owner } = this.scenario;
    const [verb = '', status = ''] = step.split(' ');
    switch (verb) {
      case 'anchored':
        return this.#anchored();
      case 'answer':
        for (const place of this.scenario.reviewers.keys()) await this.#freeze(place as 0 | 1);
        return;
      case 'approve':
      case 'authorise':
      case 'refuse':
        await this.#freeze(0, verb);
        await this.#post('confirm', this.#reviewer(0), this.#candidates[0]);
        return;
      case 'supersede':
        await this.#post('supersede', owner, successorOf(this.#input));
        return;
      case 'claim':
        return this.#claimIt();
      case 'admit':
        return this.#admit();
      case 'report':
      case 'reconcile':
        this.#outcome = outcomeOf(this.#claim?.identity ?? '', status);
        await (verb === 'report'
          ? this.#post('outcomes', owner, this.#outcome)
          : this.#post('reconcile', this.scenario.operator, this.#outcome));
        return;
      default:
        await this.#post(verb, owner, {});
    }
  }

  async #freeze(place: 0 | 1, decision = this.#usual()): Promise<void> {
    const proposal = { response: { note: `of ${place}` }, decision };
    const { body } = await this.#post('candidates', this.#reviewer(place), proposal);
    this.#candidates[place] = { candidate_id: body.id, candidate_digest: valueDigest(body) };
  }

  #reviewer(place: 0 | 1): Client {
    return this.scenario.reviewers[place] as Client;
  }

  #usual(): string {
    return this.situation.purpose === 'review' ? 'approve' : 'authorise';
  }

  async #claimIt(): Promise<void> {
    const identity = `executor/${randomUUID()}`;
    const { body } = await this.#post(
      'claims',
      this.scenario.owner,
      claimOf(this.#input, identity),
    );
    this.#claim = { id: body.payload.id, identity };
  }

  async #admit(): Promise<void> {
    const input = admissionOf(this.#claim, newNonce());
    await this.#accepted(
      await this.scenario.owner.post(`/v2/requests/${this.#id}/admission`, input, { key: null }),
    );
  }

  async #anchored(): Promise<void> {
    const { body } = await until(
      () => this.#status(),
      (status) => status.body.audit_state === 'anchored',
    );
    if (body.grant_state === 'expired') throw new TooLate('expired before it was anchored');
  }

  #status(): Promise<Answer> {
    return this.scenario.owner.get(`/v2/requests/${this.#id}`);
  }

  #post(call: string, client: Client, body: unknown): Promise<Answer> {
    return this.#call(call, client, `/v2/requests/${this.#id}/${call}`, body);
  }

  async #call(call: string, client: Client, path: string, body: unknown): Promise<Answer> {
    const key = randomUUID();
    const answer = await this.#accepted(await patiently(() => client.post(path, body, { key })));
    this.#steps.push({ call, client, path, body, key, answer });
    return answer;
  }

  async #accepted(answer: Answer): Promise<Answer> {
    if (answer.status < 300) return answer;
    const timed = this.situation.steps.some((step) => step.endsWith(' over'));
    const text = `${this.situation.name}: ${answer.status} ${answer.text}`;
    throw timed && LATE.includes(answer.body?.error) ? new TooLate(text) : new Error(text);
  }
}

/** Waits until the situation's time has passed on the service's own clock; then returns the wrong states, or null. */
export async function awaitSituation({ situation, id, owner }: Built): Promise<string | null> {
  const what = /^(\S+) over$/.exec(situation.steps.at(-1) ?? '')?.[1];
  const status = () => owner.get(`/v2/requests/${id}`);
  if (what === 'retention') {
    const material = () => owner.get(`/v2/requests/${id}/material`);
    await until(material, (answer) => answer.status === 410, WITHIN_MS);
  } else if (what === 'review') {
    await until(status, ({ body }) => body.decision_state === 'expired', WITHIN_MS);
  } else if (what !== undefined) {
    await until(status, (answer) => isOver(what, answer), WITHIN_MS);
  }
  const found = JSON.stringify(statesOf(await status()));
  const wanted = JSON.stringify(situation.states);
  return found === wanted ? null : `is ${found} instead of ${wanted}`;
}

const WITHIN_MS = 60_000;

/** The header has whole seconds, and an execution of these tests one. */
function isOver(what: string, { body, headers }: Answer): boolean {
  const now = Date.parse(headers.get('date') ?? '');
  const over = Date.parse(body.receipt.payload.grant_deadline);
  return now >= over + (what === 'execution' ? 2000 : 1000);
}

/** Schema checks are few at a time (protocol §10): on a busy machine it can be too many of ours, and that is no finding. */
export function patiently(call: () => Promise<Answer>): Promise<Answer> {
  return until(call, ({ body }) => body?.error !== 'schema_validation_busy');
}

export function statesOf({ body }: Answer): Situation['states'] {
  return {
    decision: body.decision_state,
    audit: body.audit_state,
    grant: body.grant_state,
    execution: body.execution_state,
  };
}

/** The input of a replacement: the same occurrence, and no deadline that passes. */
export function successorOf(input: Record<string, unknown>): Record<string, unknown> {
  const { review_seconds: _, ...rest } = input;
  if (rest['execution'] === undefined) return { ...rest, summary: 'Once more' };
  const valid_until = new Date(Date.now() + 3_600_000).toISOString();
  return { ...rest, execution: { ...(rest['execution'] as object), valid_until } };
}

export function claimOf(input: Record<string, unknown>, identity: string) {
  const execution = input['execution'] ?? {};
  return { execution_identity: identity, execution_binding_digest: valueDigest(execution) };
}

export function admissionOf(claim: Built['claim'], nonce: string) {
  const { id, identity } = claim ?? { id: randomUUID(), identity: 'executor/nobody' };
  return { claim_id: id, execution_identity: identity, nonce };
}

export function outcomeOf(identity: string, status: string): Outcome {
  const details = { reason: 'seen by eye', evidence: { statement: 17 } };
  return { execution_identity: identity, status, details };
}

export function newNonce(): string {
  return randomUUID().replaceAll('-', '');
}
