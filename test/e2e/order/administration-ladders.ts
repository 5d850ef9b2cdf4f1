import { DEFAULT_LIMITS } from '@countersign/protocol';
import { newToken } from '../../support/people.js';
import type { Ladder, Rung } from './ladder.js';
import { Draft, bodyRungs } from './ladder.js';
import type { Stage } from './stage.js';

const LIMIT = 64 * 1024;

/**
 * Who may not, an id that is none, a body that is none: before `request.configure-principal` and `request.configure-route`.
 */
function firstRungs(stage: Stage, draft: Draft): Rung[] {
  return [
    { answer: '401 unauthenticated', apply: () => (draft.client = stage.anybody) },
    { answer: '403 operator_required', apply: () => (draft.client = stage.publisher) },
    { answer: '400 invalid_path_parameter', apply: () => (draft.path += '%20') },
    ...bodyRungs(draft, LIMIT),
  ];
}

/** What every principal can be wrong with. */
function addressRungs(draft: Draft): Rung[] {
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
export async function producer(stage: Stage): Promise<Ladder> {
  const { demo } = stage;
  const draft = new Draft(stage.operator, 'PUT', '/v2/admin/principals/bot-ladder', {
    id: 'bot-ladder',
    kind: 'producer',
    // Somebody else's already.
    token: demo.publisher.token,
    config: { enabled: true, publisher: demo.publisher.id, owner: demo.people[0]!.id },
  });
  return {
    call: () => draft.send(),
    rungs: [
      ...firstRungs(stage, draft),
      { answer: '400 invalid_principal', apply: () => (draft.body.more = 1) },
      { answer: '400 identity_mismatch', apply: () => (draft.body.id = 'bot-other') },
      { answer: '400 invalid_credential', apply: () => (draft.body.token = 'short') },
      ...addressRungs(draft),
      {
        answer: '409 principal_kind_immutable',
        apply: () =>
          stage.operator.put(draft.path, {
            id: 'bot-ladder',
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
export async function human(stage: Stage): Promise<Ladder> {
  const identity = { oidc_issuer: stage.demo.issuer, oidc_subject: 'ladder' };
  const draft = new Draft(stage.operator, 'PUT', '/v2/admin/principals/human-ladder', {
    id: 'human-ladder',
    kind: 'human',
    config: { enabled: true, ...identity },
  });
  return {
    call: () => draft.send(),
    rungs: [
      { answer: '400 invalid_principal', apply: () => (draft.body.config.more = 1) },
      { answer: '400 identity_mismatch', apply: () => (draft.body.id = 'human-other') },
      // People have no token, whatever it looks like (R29).
      { answer: '400 invalid_human', apply: () => (draft.body.token = 'short') },
      ...addressRungs(draft),
      {
        answer: '409 human_identity_immutable',
        apply: async () => {
          await stage.operator.put(draft.path, draft.body);
          draft.body.config.oidc_subject = 'somebody else';
        },
      },
    ],
  };
}

/** `request.configure-route` */
export async function route(stage: Stage): Promise<Ladder> {
  const draft = new Draft(stage.operator, 'PUT', '/v2/admin/routes/route-ladder', {
    reviewers: [],
    separation_of_duties: true,
    limits: { ...DEFAULT_LIMITS, grant_seconds: 86_401 },
    required_profiles: {},
    allowed_producers: [],
    modes: [],
  });
  return {
    call: () => draft.send(),
    rungs: [
      ...firstRungs(stage, draft),
      { answer: '400 invalid_route', apply: () => (draft.body.more = 1) },
      { answer: '400 invalid_route_limits', apply: () => {} },
    ],
  };
}
