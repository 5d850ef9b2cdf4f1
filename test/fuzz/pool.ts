import { textDigest } from '@countersign/protocol';
import type { OperationName } from '@countersign/protocol';
import type { Answer } from '../support/client.js';
import type { Caller } from './caller.js';
import type { Cast, Scenario } from './cast.js';

/** A request that a chain made, as far as its answers have told. */
export interface KnownRequest {
  readonly id: string;
  readonly owner: Caller;
  /** RequestStatus, as it was last seen. */
  status: any;
  /** The candidate that each reviewer froze last. */
  readonly candidates: Map<string, any>;
  /** Latest claim and the identity it was made with. */
  claim: any;
  identity: string;
}

/** A success under a key: told again, it must be the same. */
export interface Kept {
  readonly operation: OperationName;
  readonly caller: Caller;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly key: string;
  readonly raw: string;
  readonly status: number;
  readonly text: string;
}

/** All ids that a chain knows to exist: later steps are about these. */
export class Pool {
  readonly callers: readonly Caller[];
  readonly requests: KnownRequest[] = [];
  readonly bundles: string[];
  readonly principals: string[];
  readonly routes: string[];
  readonly kept: Kept[] = [];
  /** Whether a principal that other chains share may have changed. */
  disturbed = false;
  #numbers = 0;

  constructor(
    readonly cast: Cast,
    readonly scenario: Scenario,
  ) {
    const { producers, routes } = scenario;
    const { publisher, operator, owner, reviewers, others } = cast;
    this.callers = [...producers, publisher, operator, owner, ...reviewers, ...others];
    this.principals = [...producers, ...reviewers, owner, publisher].map(({ id }) => id);
    this.routes = [...routes];
    this.bundles = [cast.bundle];
  }

  /** Another name on each call, and the same ones in the same chain. */
  next(what: string): string {
    this.#numbers += 1;
    return `${what}-${this.scenario.routes[0]}-${this.#numbers}`;
  }

  /** The request that a number means, among those that an operation can say something of when there are any. */
  request(target: number, operation?: OperationName): KnownRequest | undefined {
    const fit = this.requests.filter(({ status: { request } }) =>
      operation === 'request.app'
        ? request.review.bundle !== undefined
        : !operation?.startsWith('request.hitl') || request.purpose === 'review',
    );
    const among = fit.length > 0 && target % 8 !== 0 ? fit : this.requests;
    return among.length === 0 ? undefined : pick(among, target);
  }

  /** Records the ids in a success. */
  learn(
    operation: OperationName,
    caller: Caller,
    target: KnownRequest | undefined,
    answer: Answer,
  ): void {
    const { body } = answer;
    switch (operation) {
      case 'request.create':
      case 'request.supersede':
        if (this.requests.some(({ id }) => id === body.request.id)) return;
        this.requests.unshift({
          id: body.request.id,
          owner: caller,
          status: body,
          candidates: new Map(),
          claim: null,
          identity: '',
        });
        return;
      case 'request.register-bundle':
        this.bundles.unshift(body.id);
        return;
      case 'request.configure-principal':
        if (!this.principals.includes(body.id)) this.principals.push(body.id);
        // Producers of the scenario end with the chain; all other callers of a chain are shared.
        if (this.callers.some(({ id }) => id === body.id)) this.disturbed = true;
        return;
      case 'request.configure-route':
        if (!this.routes.includes(body.id)) this.routes.push(body.id);
        return;
      default:
        if (target !== undefined) learnOf(target, operation, caller, body);
    }
  }
}

function learnOf(target: KnownRequest, operation: OperationName, caller: Caller, body: any): void {
  switch (operation) {
    case 'request.status':
    case 'request.cancel':
    case 'request.revoke':
    case 'request.discard':
      target.status = body;
      return;
    case 'review.propose':
      target.candidates.set(caller.id, body);
      return;
    case 'execution-authority.claim':
      target.claim = body;
      target.identity = body.payload.execution_identity;
      return;
    default:
  }
}

export function pick<T>(things: readonly T[], index: number): T {
  return things[index % things.length] as T;
}

/** A name of Identifier form out of any text, always the same for the same text. */
export function nameOf(text: string): string {
  return textDigest(text).slice('sha256:'.length, 'sha256:'.length + 24);
}
