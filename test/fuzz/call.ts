import { randomUUID } from 'node:crypto';
import type { Operation } from '@countersign/protocol';
import { credentialHeaders } from '../support/client.js';
import { validInput } from './valid-input.js';
import { withoutCanary } from './canary.js';
import type { Caller } from './caller.js';
import { brokenTexts, mutated } from './mutation.js';
import { pick } from './pool.js';
import type { Kept, KnownRequest, Pool } from './pool.js';
import type { CallStep } from './step.js';

/** A call as it goes out. */
export interface Call {
  readonly operation: Operation;
  readonly caller: Caller;
  /** The request of the pool that the path names. */
  readonly target: KnownRequest | undefined;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly key: string | null;
  readonly raw: string | null;
  /** The earlier success whose key this is. */
  readonly again: Kept | undefined;
}

/** The call that a step stands for, with the ids that exist now. */
export function callOf(pool: Pool, operation: Operation, step: CallStep): Call {
  const number = typeof step.target === 'number' ? step.target : 0;
  const aimed = operation.idOf === 'request' ? pool.request(number, operation.name) : undefined;
  const target = typeof step.target === 'number' ? aimed : undefined;
  const caller =
    step.caller === null
      ? aptCaller(pool, operation, aimed, number)
      : pick(pool.callers, step.caller);
  const segment =
    typeof step.target === 'string'
      ? step.target
      : encodeURIComponent(idFor(pool, operation, number));
  const id = decoded(segment);
  const bare = operation.path.replace('{id}', segment);
  const path = step.query === '' ? bare : `${bare}?${step.query}`;
  const raw = operation.input === null ? null : bodyOf(pool, operation, step, caller, aimed, id);
  const again =
    step.key === 'again'
      ? pool.kept.findLast(
          (kept) =>
            kept.operation === operation.name && kept.path === path && kept.caller === caller,
        )
      : undefined;
  const key = operation.key ? keyOf(step.key, again) : null;
  const headers = {
    ...credentialHeaders(pool.cast.demo.origin, caller.credentials),
    ...(raw === null ? {} : { 'content-type': 'application/json' }),
    ...(key === null ? {} : { 'idempotency-key': key }),
    ...step.headers,
  };
  // Another credential in the headers makes it another caller's call, and no key of ours.
  const own = !('authorization' in step.headers) && !('cookie' in step.headers);
  return { operation, caller, target, path, headers, key, raw, again: own ? again : undefined };
}

function bodyOf(
  pool: Pool,
  operation: Operation,
  { input }: CallStep,
  caller: Caller,
  request: KnownRequest | undefined,
  id: string,
): string {
  if (input.is === 'described') return JSON.stringify(input.value);
  const { draft } = input;
  const fits = validInput(operation.name, { pool, caller, request, id, draft });
  const valid = caller.tenant === pool.cast.demo.tenant ? fits : withoutCanary(fits);
  if (input.is === 'broken')
    return (brokenTexts[input.how] as (text: string) => string)(JSON.stringify(valid));
  return JSON.stringify(input.mutations.reduce<unknown>(mutated, valid)) ?? 'null';
}

function keyOf(key: CallStep['key'], again: Kept | undefined): string | null {
  if (key === 'missing') return null;
  if (typeof key === 'object') return key.odd;
  return again?.key ?? randomUUID();
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

function idFor(pool: Pool, operation: Operation, number: number): string {
  switch (operation.idOf) {
    case 'credential':
    case 'hold':
      return randomUUID();
    case 'request':
      return pool.request(number, operation.name)?.id ?? randomUUID();
    case 'principal':
      return pick([...pool.principals, pool.next('somebody')], number);
    case 'route':
      return pick([...pool.routes, pool.next('route')], number);
    case null:
      return '';
  }
}

/** A caller that the operation is for. */
function aptCaller(
  { cast, scenario, callers }: Pool,
  operation: Operation,
  request: KnownRequest | undefined,
  number: number,
): Caller {
  const owners = [scenario.producers[0], scenario.producers[0], cast.owner];
  const owner = request?.owner ?? pick(owners, number);
  const operators = [cast.operator, cast.operator, cast.reviewers[1]];
  const { name } = operation;
  switch (operation.callers) {
    case 'anyone':
    case 'lister':
      return pick(callers, number);
    case 'publisher':
      return pick([cast.publisher, cast.owner], number);
    case 'owner':
      return name === 'request.supersede' ? owner : pick(owners, number);
    case 'reader':
      return pick([owner, ...cast.reviewers, cast.operator], number);
    case 'reviewer':
    case 'custodian':
      return pick(cast.reviewers, number);
    case 'ownerOrOperator':
      return pick([owner, owner, cast.operator], number);
    case 'executor':
      return owner;
    case 'operator':
    case 'keyHolder':
    case 'metrics':
      return pick(operators, number);
    case 'bearerMetrics':
      return cast.operator;
  }
}
