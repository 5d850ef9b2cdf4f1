import { TARGETS, rowOf } from '@countersign/deploy';
import type { Hint, Target } from '@countersign/deploy';
import { HINTS } from '@countersign/platform';
import { testNats, until } from '@countersign/dev-servers/testing';
import type { TestStore } from '@countersign/dev-servers/testing';
import { connect } from '@nats-io/transport-node';
import type { NatsConnection } from '@nats-io/transport-node';
import { NATS_USERS, NATS_VALUES, natsConfigOf } from './nats-users.js';
import { rawNats } from './raw-nats.js';
import type { RawNats } from './raw-nats.js';

/**
 * The values for the nats chart, tried on a real server: each target can use its own subjects, and none of another target.
 */
const DRAWN = TARGETS.filter((target) => target !== 'development-provider');
const SERVED = DRAWN.flatMap((target) =>
  rowOf(target).serves.map((subject) => ({ target, subject })),
);

let server: TestStore;
const connections = new Map<Target, NatsConnection>();
const lines = new Map<Target, RawNats>();

beforeAll(async () => {
  server = await testNats(natsConfigOf(NATS_USERS));
  for (const target of DRAWN) await open(target);
});
afterAll(async () => {
  for (const line of lines.values()) line.close();
  for (const connection of connections.values()) await connection.close();
  await server.remove();
});

async function open(target: Target): Promise<void> {
  const connection = await connect({
    servers: server.url,
    user: target,
    pass: target,
    inboxPrefix: `_INBOX.${target}`,
    reconnect: false,
  });
  connections.set(target, connection);
  lines.set(target, rawNats(server.port, target, target));
}

const of = (target: Target): NatsConnection => connections.get(target) as NatsConnection;

/** Whether the server refuses these lines of the protocol. */
async function refused(target: Target, ...said: readonly string[]): Promise<boolean> {
  return ((await lines.get(target)?.say(...said)) ?? '').includes('Permissions Violation');
}

const publish = (subject: string): string[] => [`PUB ${subject} 0`, ''];
let subscriptions = 0;
const subscribe = (subject: string, queue = ''): string =>
  `SUB ${subject} ${queue} ${(subscriptions += 1)}`;

it('has a user for every target, with a password out of a Secret', () => {
  expect(NATS_USERS.map(({ user }) => user).sort()).toEqual([...DRAWN].sort());
  for (const { user, password } of NATS_USERS) {
    const [, variable] = /^<< \$(\w+) >>$/.exec(password) ?? [];
    expect(NATS_VALUES.container.env[variable ?? '']).toEqual({
      valueFrom: { secretKeyRef: { name: 'countersign-nats', key: user } },
    });
  }
});

it('lets permitted callers call a service, and the service answer', async () => {
  for (const { target, subject } of SERVED) {
    of(target).subscribe(subject, {
      queue: subject.split('.')[1] ?? '',
      callback: (_error, message) => void message.respond('yes'),
    });
  }
  for (const target of DRAWN) await of(target).flush();
  for (const { subject } of SERVED) {
    const asking = DRAWN.filter((target) => rowOf(target).calls.includes(subject));
    expect([subject, asking.length > 0]).toEqual([subject, true]);
    for (const target of asking) {
      const reply = await of(target).request(subject, '', { timeout: 5000 });
      expect([subject, reply.string()]).toEqual([subject, 'yes']);
    }
  }
});

it('brings hints to their subscribers', async () => {
  const heard: string[] = [];
  for (const target of DRAWN) {
    const callback = () => void heard.push(target);
    for (const hint of rowOf(target).subscribes)
      of(target).subscribe(HINTS[hint], { queue: target, callback });
    for (const hint of rowOf(target).hears) of(target).subscribe(HINTS[hint], { callback });
    await of(target).flush();
  }
  const receivers = (hint: Hint) =>
    DRAWN.filter((target) => [...rowOf(target).subscribes, ...rowOf(target).hears].includes(hint));
  const expected: string[] = [];
  for (const target of DRAWN) {
    for (const hint of rowOf(target).publishes) {
      expect([hint, receivers(hint)]).not.toEqual([hint, []]);
      expected.push(...receivers(hint));
      of(target).publish(HINTS[hint], 'acme');
    }
  }
  await until(() => heard.length >= expected.length);
  expect(heard.sort()).toEqual(expected.sort());
});

describe.each(DRAWN)('%s', (target) => {
  const may = rowOf(target);

  it('cannot ask a service that it does not call', async () => {
    for (const { subject } of SERVED) {
      const no = await refused(target, ...publish(subject));
      expect([subject, no]).toEqual([subject, !may.calls.includes(subject)]);
    }
  });

  it('cannot answer for another service', async () => {
    for (const { subject } of SERVED) {
      const no = await refused(target, subscribe(subject, subject.split('.')[1]));
      expect([subject, no]).toEqual([subject, !may.serves.includes(subject)]);
    }
  });

  it('cannot send or receive hints of others, nor listen to their answers', async () => {
    for (const hint of Object.keys(HINTS) as (keyof typeof HINTS)[]) {
      const says = await refused(target, ...publish(HINTS[hint]));
      expect([hint, says]).toEqual([hint, !may.publishes.includes(hint)]);
      const shares = await refused(target, subscribe(HINTS[hint], target));
      expect([hint, shares]).toEqual([hint, ![...may.subscribes, ...may.hears].includes(hint)]);
      const hears = await refused(target, subscribe(HINTS[hint]));
      expect([hint, hears]).toEqual([hint, !may.hears.includes(hint)]);
    }
    const other = target === 'gateway' ? 'review' : 'gateway';
    for (const subject of ['>', '_INBOX.>', `_INBOX.${other}.>`]) {
      expect([subject, await refused(target, subscribe(subject))]).toEqual([subject, true]);
    }
    expect(await refused(target, subscribe(`_INBOX.${target}.x.*`))).toBe(false);
  });
});
