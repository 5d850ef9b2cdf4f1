import type { EventReason, NotificationPreferences } from '@countersign/protocol';
import { destinationOf, fingerprintOf, decideDelivery, settle } from './delivery.js';
import type { Delivery } from './delivery.js';

const NOW = Date.UTC(2026, 4, 1, 9);
const DAY = 86_400_000;
const CHOICE: NotificationPreferences = {
  mails: 'at_once',
  digest_hours: [8],
  quiet: null,
  time_zone: 'UTC',
  language: 'en',
};

function eventOf(reason: EventReason): NonNullable<Delivery['event']> {
  return { payload: { reason } } as NonNullable<Delivery['event']>;
}

function webhook(changes: Partial<Delivery> = {}): Delivery {
  return {
    id: '0190b8f0-0000-7000-8000-000000000001',
    kind: 'webhook',
    state: 'pending',
    attempts: 0,
    createdAt: NOW,
    nextAt: NOW,
    tenant: 'acme',
    requestId: '0190b8f0-0000-7000-8000-000000000002',
    recipient: 'bot-7',
    event: eventOf('created'),
    summary: 'Pay invoice 17',
    requester: 'owner-1',
    retained: true,
    principal: {
      kind: 'producer',
      enabled: true,
      config: { enabled: true, webhook: 'https://hooks.example/a' },
    },
    reviews: false,
    pending: true,
    preferences: null,
    ...changes,
  };
}

const ruth = {
  kind: 'human',
  enabled: true,
  config: { enabled: true, email: 'ruth@example.org', email_verified: true },
} as const;

function mail(changes: Partial<Delivery> = {}): Delivery {
  return webhook({ kind: 'smtp', recipient: 'ruth', reviews: true, principal: ruth, ...changes });
}

describe('decideDelivery', () => {
  it('sends mail as its recipient chose', () => {
    const chose = (choice: Partial<NotificationPreferences>, changes: Partial<Delivery> = {}) =>
      decideDelivery(mail({ preferences: { ...CHOICE, ...choice }, ...changes }), NOW);
    const dropped = { do: 'end', state: 'expired', error: null };
    expect(chose({})).toMatchObject({ do: 'send' });
    expect([chose({ mails: 'digest' }), chose({ mails: 'none' })]).toEqual([dropped, dropped]);
    const own = { event: eventOf('decision'), requester: 'ruth' };
    expect(chose({ mails: 'digest' }, own)).toMatchObject({ do: 'send' });
    expect(chose({ mails: 'none' }, own)).toEqual(dropped);
    const operator = { ...ruth, config: { ...ruth.config, operator: true } };
    const overdue = { event: eventOf('reconciliation_due'), principal: operator };
    expect(chose({ mails: 'none' }, overdue)).toMatchObject({ do: 'send' });
  });

  it('postpones mail in quiet hours, and drops it when its review is over by then', () => {
    const quiet = { from: '08:30', until: '10:15' };
    const preferences = { ...CHOICE, quiet };
    const end = Date.UTC(2026, 4, 1, 10, 15);
    expect(decideDelivery(mail({ preferences }), NOW)).toEqual({ do: 'postpone', until: end });
    expect(decideDelivery(mail({ preferences }), end)).toMatchObject({ do: 'send' });
    const over = mail({ preferences, pending: false });
    expect(decideDelivery(over, end)).toEqual({ do: 'end', state: 'expired', error: null });
    // Who has no quiet hours gets it, as it was sent at once.
    const plain = mail({ preferences: CHOICE, pending: false });
    expect(decideDelivery(plain, NOW)).toMatchObject({ do: 'send' });
    expect(decideDelivery(webhook({ preferences }), NOW)).toMatchObject({ do: 'send' });
  });

  it('sends a due delivery to the directory’s address', () => {
    expect(decideDelivery(webhook(), NOW)).toMatchObject({
      do: 'send',
      destination: 'https://hooks.example/a',
    });
    expect(decideDelivery(mail(), NOW)).toMatchObject({
      do: 'send',
      destination: 'ruth@example.org',
    });
  });

  it('waits for the time, which has come when it is equal', () => {
    expect(decideDelivery(webhook({ nextAt: NOW + 1 }), NOW)).toEqual({ do: 'wait' });
    expect(decideDelivery(webhook({ nextAt: NOW }), NOW)).toMatchObject({ do: 'send' });
  });

  it.each(['accepted', 'failed', 'expired'] as const)(
    'does not touch a delivery that is %s',
    (state) => {
      expect(decideDelivery(webhook({ state }), NOW)).toEqual({ do: 'nothing' });
    },
  );

  it('fails unsent at the end of 24 hours', () => {
    const expired = { do: 'end', state: 'failed', error: 'delivery_window_expired' };
    for (const old of [webhook({ createdAt: NOW - DAY }), mail({ createdAt: NOW - DAY })]) {
      expect(decideDelivery(old, NOW)).toEqual(expired);
    }
    expect(decideDelivery(webhook({ createdAt: NOW - DAY + 1 }), NOW)).toMatchObject({
      do: 'send',
    });
  });

  it('fails unsent when its recipient has lost the right to it', () => {
    const changed = { do: 'end', state: 'failed', error: 'destination_changed' };
    expect(decideDelivery(webhook({ principal: null }), NOW)).toEqual(changed);
    expect(decideDelivery(mail({ reviews: false }), NOW)).toEqual(changed);
    expect(decideDelivery(mail({ principal: { ...ruth, enabled: false } }), NOW)).toEqual(changed);
  });

  it('lets unsent mail go with the private material, and not the mail about that, nor webhooks', () => {
    const expired = { do: 'end', state: 'expired', error: null };
    expect(decideDelivery(mail({ retained: false }), NOW)).toEqual(expired);
    const told = mail({ retained: false, event: eventOf('material_deleted'), requester: 'ruth' });
    expect(decideDelivery(told, NOW)).toMatchObject({ do: 'send' });
    expect(decideDelivery(webhook({ retained: false }), NOW)).toMatchObject({ do: 'send' });
  });

  it('has nothing to send once the event is deleted', () => {
    const expired = { do: 'end', state: 'expired', error: null };
    expect(decideDelivery(webhook({ event: null }), NOW)).toEqual(expired);
  });
});

describe('destinationOf', () => {
  it('mails a decision to the requester, whether or not they review', () => {
    const told = mail({ event: eventOf('decision'), requester: 'ruth', reviews: false });
    expect(destinationOf(told)).toBe('ruth@example.org');
    expect(destinationOf({ ...told, requester: 'olivia', reviews: true })).toBeNull();
  });

  it('has none for a producer without a webhook or disabled', () => {
    const { principal } = webhook();
    expect(destinationOf(webhook({ principal: { ...principal!, enabled: false } }))).toBeNull();
    const without = { ...principal!, config: { enabled: true } };
    expect(destinationOf(webhook({ principal: without }))).toBeNull();
  });
});

it('distinguishes destinations and authority by their fingerprint', () => {
  const prints = [
    webhook(),
    webhook({ principal: null }),
    webhook({ recipient: 'bot-8' }),
    webhook({
      principal: {
        ...webhook().principal!,
        config: { enabled: true, webhook: 'https://b.example' },
      },
    }),
    mail(),
    mail({ reviews: false }),
  ].map(fingerprintOf);
  expect(new Set(prints).size).toBe(prints.length);
  expect(fingerprintOf(webhook({ attempts: 3, nextAt: 0 }))).toBe(prints[0]);
});

describe('settle', () => {
  const failure = { error: 'delivery_failed', changed: false } as const;

  it('keeps a success after any change meanwhile', () => {
    const accepted = { state: 'accepted', error: null, nextAt: null };
    for (const changed of [false, true]) {
      expect(settle(webhook(), { attempts: 1, error: null, changed }, NOW)).toEqual(accepted);
    }
  });

  it('gives up after a failure when destination or authority changed', () => {
    expect(settle(webhook(), { ...failure, attempts: 1, changed: true }, NOW)).toEqual({
      state: 'failed',
      error: 'destination_changed',
      nextAt: null,
    });
  });

  it('ends a mail that failed while the private material was deleted', () => {
    const expired = { state: 'expired', error: null, nextAt: null };
    const attempt = { ...failure, attempts: 1 };
    expect(settle(mail({ retained: false }), attempt, NOW)).toEqual(expired);
    expect(settle(webhook({ retained: false }), attempt, NOW).state).toBe('pending');
  });

  it.each([
    [1, 2],
    [2, 4],
    [5, 32],
    [11, 2048],
    [12, 3600],
    [13, 3600],
    [400, 3600],
  ])('tries again after attempt %i in %i s', (attempts, seconds) => {
    expect(settle(webhook(), { ...failure, attempts }, NOW)).toEqual({
      state: 'pending',
      error: 'delivery_failed',
      nextAt: NOW + seconds * 1000,
    });
  });

  it('says of a mail that its acceptance is unknown', () => {
    const attempt = { attempts: 1, error: 'smtp_timeout', changed: false } as const;
    expect(settle(mail(), attempt, NOW)).toMatchObject({ state: 'pending', error: 'smtp_timeout' });
  });

  it('looks again at the end of the window at the latest', () => {
    const old = webhook({ createdAt: NOW - DAY + 60_000 });
    expect(settle(old, { ...failure, attempts: 12 }, NOW).nextAt).toBe(NOW + 60_000);
  });
});
