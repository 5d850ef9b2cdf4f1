import type { Principal } from '@countersign/database';
import type { EventReason, GrantState } from '@countersign/protocol';
import { addressOf, mailTo, recipientsOf } from './recipients.js';
import type { MailTo } from './recipients.js';

function event(reason: EventReason, grant: GrantState = 'none') {
  const state = {
    decision: 'pending',
    audit: 'unanchored',
    grant,
    execution: 'unclaimed',
  } as const;
  return { reason, state };
}

function human(id: string, config: Partial<Principal['config']> = {}, enabled = true): Principal {
  return {
    id,
    kind: 'human',
    enabled,
    config: { enabled, email: `${id}@example.org`, email_verified: true, ...config },
    issuer: 'https://id.example',
    subject: id,
    credentials: [],
    configuredBy: {},
  };
}

it.each<[EventReason, MailTo]>([
  ['created', 'reviewers'],
  ['reminder', 'reviewers'],
  ['approval', 'voters'],
  ['approval_ended', null],
  ['decision', 'requester'],
  ['anchor_accepted', null],
  ['material_deleted', null],
  ['expiry', null],
  ['cancelled', null],
  ['revoked', null],
  ['supersession', null],
  ['claimed', null],
  ['outcome', null],
  ['reviewer_removed', null],
  ['authorisation_changed', null],
  ['reconciliation_due', 'operators'],
])('%s is mailed to %s', (reason, to) => {
  expect(mailTo(event(reason), false)).toBe(to);
});

it('mails the requester that the grant is open, and not that it never opened', () => {
  expect(mailTo(event('anchor_accepted', 'available'), false)).toBe('requester');
  expect(mailTo(event('anchor_accepted', 'expired'), false)).toBeNull();
});

it('mails the requester about a deletion on demand', () => {
  expect(mailTo(event('material_deleted'), true)).toBe('requester');
  expect(mailTo(event('decision'), true)).toBe('requester');
  expect(mailTo(event('expiry'), true)).toBeNull();
});

it('mails enabled humans with a verified address only', () => {
  expect(addressOf(human('ruth'))).toBe('ruth@example.org');
  expect(addressOf(human('ruth', {}, false))).toBeNull();
  expect(addressOf(human('ruth', { email_verified: false }))).toBeNull();
  const { email: _none, ...unaddressed } = human('ruth').config;
  expect(addressOf({ ...human('ruth'), config: unaddressed })).toBeNull();
  expect(addressOf({ ...human('ruth'), kind: 'producer' })).toBeNull();
  expect(addressOf(null)).toBeNull();
});

it('mails one address once', () => {
  const people = [
    human('ruth'),
    null,
    human('ravi', { email: 'RUTH@example.org' }),
    human('rosa', {}, false),
    human('remy'),
    human('ruth'),
  ];
  expect(recipientsOf(people)).toEqual(['ruth', 'remy']);
});
