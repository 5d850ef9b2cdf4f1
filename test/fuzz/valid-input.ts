import { randomUUID } from 'node:crypto';
import { valueDigest } from '@countersign/protocol';
import type { JsonValue, OperationName } from '@countersign/protocol';
import { executionBinding, reviewInput } from '../support/requests.js';
import { withCanary } from './canary.js';
import { newToken, routeOf } from './cast.js';
import type { Caller } from './caller.js';
import { nameOf, pick } from './pool.js';
import type { KnownRequest, Pool } from './pool.js';
import type { Draft } from './step.js';

/** The context of an input; it fits whenever the state allows. */
export interface Occasion {
  readonly pool: Pool;
  readonly caller: Caller;
  readonly request: KnownRequest | undefined;
  /** Id in the path, for principals and routes. */
  readonly id: string;
  readonly draft: Draft;
}

/** Response schemas, and an answer that fits each. */
const SCHEMAS: readonly { schema: object; answer: (draft: Draft) => JsonValue }[] = [
  {
    schema: {
      type: 'object',
      additionalProperties: false,
      required: ['note'],
      properties: { note: { type: 'string', maxLength: 1000, description: withCanary('schema') } },
    },
    answer: ({ text }) => ({ note: withCanary(text) }),
  },
  { schema: {}, answer: ({ json }) => json },
  { schema: { type: 'object', properties: {}, additionalProperties: false }, answer: () => ({}) },
  {
    schema: {
      $ref: '#/$defs/tree',
      $defs: {
        tree: {
          type: 'object',
          required: ['format'],
          properties: {
            format: { enum: [1, 2.5, 'x', null] },
            leaves: { type: 'array', items: { $ref: '#/$defs/tree' } },
          },
        },
      },
    },
    answer: () => ({ format: 2.5, leaves: [{ format: null }, { format: 'x', other: 1 }] }),
  },
];

/** Schemas that protocol §10 refuses, each for a reason of its own, and some that it takes. */
const ODD_SCHEMAS: readonly object[] = [
  { $id: 'x' },
  { type: 'string', pattern: '(a+)+$' },
  { $ref: 'https://schema.example/s' },
  { $ref: '#/$defs/missing' },
  { $ref: '#/$defs/a', $defs: { a: { $ref: '#/$defs/a' } } },
  { $ref: '#/properties/a%20b', properties: { 'a b': { type: 'string' } } },
  { properties: { $ref: { const: { $id: 1 } }, format: { enum: [{ pattern: 1 }] } } },
  { type: 'text' },
  { nonsense: true },
  { enum: Array.from({ length: 400 }, (_, index) => index) },
  Array.from({ length: 40 }).reduce<object>((inner) => ({ not: inner }), {}),
  {
    $ref: '#/$defs/a',
    $defs: Object.fromEntries(
      [...'abcdefghijklmnop'].map((name, index, names) => {
        const next = { $ref: `#/$defs/${names[index + 1]}` };
        return [name, names[index + 1] === undefined ? {} : { allOf: [next, next, next] }];
      }),
    ),
  },
];

const MODES = ['live_window', 'durable', 'fixed_mock'];

function newRequest({ pool, draft, request }: Occasion): Record<string, unknown> {
  const { text, json, choice } = draft;
  const place = ([0, 0, 0, 0, 0, 0, 1, 2] as const)[choice % 8] as 0 | 1 | 2;
  const replaced = request?.status.request;
  // A replacement has the purpose of the replaced request, with occasional exceptions.
  const executes =
    replaced && choice % 23 !== 0 ? replaced.purpose === 'authorise_execution' : choice % 5 < 3;
  const app = place === 2 || choice % 7 === 0 ? pool.bundles[0] : undefined;
  return reviewInput(pool.cast.demo, {
    purpose: executes ? 'authorise_execution' : 'review',
    profiles: {
      ...(choice % 19 === 0 ? { 'proto.unheard-of': '1' } : {}),
      ...(executes ? { 'proto.execution': '1-draft.1' } : {}),
      ...(app === undefined && place !== 2 ? {} : { 'proto.agent-ui': '2' }),
    },
    route: choice % 13 === 0 ? pick(pool.routes, choice) : pool.scenario.routes[place],
    summary: [...`? ${text}`].slice(0, 300).join(''),
    payload: { canary: withCanary('payload'), text, json },
    response_schema: schemaFor(draft),
    review_document: withCanary(text),
    ...(app === undefined ? {} : { bundle_id: app }),
    ...(executes ? { execution: bindingFor(pool, draft, replaced?.execution) } : {}),
    ...(choice % 3 === 0 ? { review_seconds: 1 + (choice % 86400) * 7 } : {}),
    metadata: { canary: withCanary('metadata'), json },
  });
}

function schemaFor({ json, choice }: Draft): JsonValue | object {
  if (choice % 11 === 0 && isObject(json)) return json;
  return choice % 17 === 0 ? pick(ODD_SCHEMAS, choice / 17) : pick(SCHEMAS, choice).schema;
}

function bindingFor(pool: Pool, { json, choice }: Draft, replaced: any): object {
  const consumed = pool.requests.find(({ claim }) => claim !== null)?.status.request.execution;
  return executionBinding({
    action_occurrence_id: replaced?.action_occurrence_id ?? pool.next('pay'),
    mode: pick(MODES, choice % 10 === 0 ? 2 : choice % 2),
    valid_until: new Date(Date.now() + (choice % 9 === 0 ? 1_500 : 3_600_000)).toISOString(),
    execution_seconds: choice % 7 === 3 ? 3600 : 1,
    provenance: {
      profile: 'proto.execution',
      version: '1-draft.1',
      references: { canary: withCanary('provenance'), json },
    },
    ...(choice % 6 === 0 && consumed ? { recovery_of: consumed.action_occurrence_id } : {}),
  });
}

const isObject = (value: JsonValue) =>
  value !== null && typeof value === 'object' && !Array.isArray(value);

function proposal({ request, draft }: Occasion): object {
  const asked = request?.status.request;
  const schema = asked?.review.response_schema_digest;
  const known = SCHEMAS.find((candidate) => valueDigest(candidate.schema) === schema);
  const decisions =
    asked?.purpose === 'authorise_execution'
      ? ['authorise', 'authorise', 'authorise', 'refuse']
      : ['answer', 'approve', 'reject'];
  return {
    response: (known ?? pick(SCHEMAS, 1)).answer(draft),
    decision: pick(decisions, draft.choice),
  };
}

function confirmation({ request, caller }: Occasion): object {
  const candidate = request?.candidates.get(caller.id);
  return {
    candidate_id: candidate?.id ?? randomUUID(),
    candidate_digest: valueDigest(candidate ?? null),
  };
}

function claim({ pool, request, draft }: Occasion): object {
  const execution = request?.status.request.execution ?? null;
  return {
    execution_identity: draft.choice % 9 === 0 ? nameOf('used') : pool.next('executor'),
    execution_binding_digest: valueDigest(execution),
  };
}

function admission({ request, draft, pool }: Occasion): object {
  return {
    claim_id: request?.claim?.payload.id ?? randomUUID(),
    execution_identity: request?.identity || 'nobody',
    nonce: draft.choice % 9 === 0 ? 'n'.repeat(16) : nameOf(pool.next('nonce')),
  };
}

const OUTCOMES = [
  'completed',
  'failed',
  'failed_partial',
  'uncertain',
  'cancelled_before_dispatch',
  'abandoned',
];

function outcome({ request, draft }: Occasion): object {
  return {
    execution_identity: request?.identity || 'nobody',
    status: pick(OUTCOMES, draft.choice),
    details: {
      reason: withCanary(draft.text),
      evidence: draft.json,
      canary: withCanary('details'),
    },
  };
}

function bundle({ draft }: Occasion): object {
  return {
    html: `<!doctype html><p>${withCanary(draft.text)}</p>`,
    compatibility: { agent_ui: '2', built: draft.json },
    author: [...`a ${draft.text}`].slice(0, 1000).join(''),
    licence: [...`l ${draft.text}`].slice(0, 160).join(''),
  };
}

function principal({ pool, id, draft }: Occasion): object {
  const { cast, scenario } = pool;
  const { choice, text } = draft;
  const known = pool.callers.find((caller) => caller.id === id && caller.id !== '');
  const kind = known?.kind ?? pick(['human', 'producer', 'publisher'], choice);
  const oddities: readonly object[] = [
    { name: text },
    { email: 'a@b.example', email_verified: choice % 2 === 0 },
    { webhook: `https://hooks.example/${nameOf(text)}` },
    { webhook: text },
  ];
  const common = {
    enabled: choice % 4 !== 0,
    ...(choice % 5 === 0 ? pick(oddities, choice) : {}),
  };
  switch (kind) {
    case 'human': {
      const certain = choice % 6 === 0 ? { identity_certain: choice % 12 === 0 } : {};
      const person = cast.identityOf(id) ?? {
        oidc_issuer: cast.demo.issuer,
        oidc_subject: id,
      };
      return { id, kind, config: { ...common, ...certain, ...person } };
    }
    case 'producer':
      return {
        id,
        kind,
        config: {
          ...common,
          publisher: cast.publisher.id,
          owner: choice % 8 === 0 ? cast.reviewers[0].id : cast.owner.id,
          routes: scenario.routes.slice(0, 3 - (choice % 2)),
        },
        ...(choice % 3 === 0 ? { token: choice % 9 === 0 ? text : newToken() } : {}),
      };
    default:
      return { id, kind: 'publisher', config: common };
  }
}

function route({ pool, id, draft: { choice, text } }: Occasion): object {
  const { cast, scenario } = pool;
  const place = Math.max(0, scenario.routes.indexOf(id)) as 0 | 1 | 2;
  const usual = routeOf(cast, scenario.producers, place);
  const changes: readonly object[] = [
    {},
    { reviewers: usual.reviewers.slice(0, choice % 3) },
    { allowed_producers: usual.allowed_producers.slice(0, choice % 4) },
    { separation_of_duties: false },
    { reviewers: [...usual.reviewers, cast.owner.id] },
    { modes: [...usual.modes, text] },
    { limits: { ...usual.limits, grant_seconds: 1 + (choice % 86400) } },
    { required_profiles: { 'proto.agent-ui': '2' } },
  ];
  return { ...usual, ...pick(changes, choice) };
}

const BY_OPERATION: Partial<Record<OperationName, (occasion: Occasion) => object>> = {
  'request.register-bundle': bundle,
  'request.create': (occasion) => newRequest({ ...occasion, request: undefined }),
  'request.supersede': newRequest,
  'review.propose': proposal,
  'review.confirm': confirmation,
  'execution-authority.claim': claim,
  'execution-authority.admit': admission,
  'execution-authority.report-outcome': outcome,
  'execution-authority.reconcile': outcome,
  'request.configure-principal': principal,
  'request.configure-route': route,
};

/** A body for an operation that is right in itself; `{}` where nothing is to be said. */
export function validInput(operation: OperationName, occasion: Occasion): object {
  return BY_OPERATION[operation]?.(occasion) ?? {};
}
