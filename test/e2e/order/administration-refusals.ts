import { DEFAULT_LIMITS } from '@countersign/protocol';
import { newToken } from '../../support/people.js';
import type { RefusalOrder, RefusalCase } from './refusal-order.js';
import { Draft, bodyCases } from './refusal-order.js';
import type { Fixture } from './fixture.js';

const LIMIT = 64 * 1024;

/**
 * Who may not, an id that is none, a body that is none: before `request.configure-principal` and `request.configure-route`.
 */
function firstCases(fixture: Fixture, draft: Draft): RefusalCase[] {
  return [
    { answer: '401 unauthenticated', apply: () => (draft.client = fixture.anybody) },
    { answer: '403 operator_required', apply: () => (draft.client = fixture.publisher) },
    { answer: '400 invalid_path_parameter', apply: () => (draft.path += '%20') },
    ...bodyCases(draft, LIMIT),
  ];
}

/** The faults that every principal can have. */
function addressCases(draft: Draft): RefusalCase[] {
  return [
    {
      answer: '400 webhook_destination_rejected',
      apply: () => (draft.body.config.webhook = 'https://not-allowed.example/'),
    },
    {
      answer: '400 verified_email_required',
      apply: () => (draft.body.config.email = 'somebody@example.com'),
    },
  ];
}

/** `request.configure-principal` on a producer */
export async function producer(fixture: Fixture): Promise<RefusalOrder> {
  const { demo } = fixture;
  const draft = new Draft(fixture.operator, 'PUT', '/v2/admin/principals/bot-order', {
    id: 'bot-order',
    kind: 'producer',
    // Another principal's token.
    token: demo.publisher.token,
    config: { enabled: true, publisher: demo.publisher.id, owner: demo.people[0]!.id },
  });
  return {
    call: () => draft.send(),
    cases: [
      ...firstCases(fixture, draft),
      { answer: '400 invalid_principal', apply: () => (draft.body.more = 1) },
      { answer: '400 identity_mismatch', apply: () => (draft.body.id = 'bot-other') },
      { answer: '400 invalid_credential', apply: () => (draft.body.token = 'short') },
      ...addressCases(draft),
      {
        answer: '409 principal_kind_immutable',
        apply: () =>
          fixture.operator.put(draft.path, {
            id: 'bot-order',
            kind: 'publisher',
            token: newToken(),
            config: { enabled: true },
          }),
      },
      {
        answer: '400 publisher_and_owner_required',
        apply: () => (draft.body.config.publisher = 'nobody'),
      },
      { answer: '409 identity_conflict', apply: () => {} },
    ],
  };
}

/** `request.configure-principal` on a human */
export async function human(fixture: Fixture): Promise<RefusalOrder> {
  const identity = { oidc_issuer: fixture.demo.issuer, oidc_subject: 'order' };
  const draft = new Draft(fixture.operator, 'PUT', '/v2/admin/principals/human-order', {
    id: 'human-order',
    kind: 'human',
    config: { enabled: true, ...identity },
  });
  return {
    call: () => draft.send(),
    cases: [
      { answer: '400 invalid_principal', apply: () => (draft.body.config.more = 1) },
      { answer: '400 identity_mismatch', apply: () => (draft.body.id = 'human-other') },
      // People have no token of any form (R29).
      { answer: '400 invalid_human', apply: () => (draft.body.token = 'short') },
      ...addressCases(draft),
      {
        answer: '409 human_identity_immutable',
        apply: async () => {
          await fixture.operator.put(draft.path, draft.body);
          draft.body.config.oidc_subject = 'somebody else';
        },
      },
    ],
  };
}

/** `request.configure-route` */
export async function route(fixture: Fixture): Promise<RefusalOrder> {
  const draft = new Draft(fixture.operator, 'PUT', '/v2/admin/routes/route-order', {
    reviewers: [],
    separation_of_duties: true,
    limits: { ...DEFAULT_LIMITS, grant_seconds: 86_401 },
    required_profiles: {},
    allowed_producers: [],
    modes: [],
  });
  return {
    call: () => draft.send(),
    cases: [
      ...firstCases(fixture, draft),
      { answer: '400 invalid_route', apply: () => (draft.body.more = 1) },
      { answer: '400 invalid_route_limits', apply: () => {} },
    ],
  };
}
