import { Refusal } from '@countersign/protocol';
import { busFaultOf, busRefusal } from './fault.js';
import type { BusFaultKind, BusReply } from './types.js';
import { untilDelivered } from './until-delivered.js';

const OK: BusReply = { status: 200, body: 'answered' };
let sent: number[];

beforeEach(() => (sent = []));

/** Fails in that way so many times, and is answered then. */
const failing =
  (fault: BusFaultKind, times: number) =>
  async (timeoutMs: number): Promise<BusReply> => {
    sent.push(timeoutMs);
    if (sent.length <= times) throw busRefusal(fault, 't.any');
    return OK;
  };
const outcomeOf = (call: Promise<BusReply>) =>
  call.then(
    ({ body }) => body,
    (error: unknown) => busFaultOf(error) ?? (error as Refusal).code,
  );

it.each(['unconnected', 'no_responder'] as const)(
  'sends a call again that no service has, for the time that is left: %s',
  async (fault) => {
    for (const mayRepeat of [false, true]) {
      sent = [];
      const call = untilDelivered(10_000, { mayRepeat }, failing(fault, 2));
      expect(await outcomeOf(call)).toBe('answered');
      expect(sent).toHaveLength(3);
      expect(sent[2]).toBeLessThanOrEqual(9500);
    }
  },
);

it('sends a call again whose connection broke only when a service may have it twice', async () => {
  const repeated = untilDelivered(10_000, { mayRepeat: true }, failing('disconnected', 1));
  expect(await outcomeOf(repeated)).toBe('answered');
  sent = [];
  const once = untilDelivered(10_000, { mayRepeat: false }, failing('disconnected', 1));
  expect(await outcomeOf(once)).toBe('disconnected');
  expect(sent).toHaveLength(1);
});

it.each(['timeout', 'overloaded', 'closed', 'body_lost', 'handler_failed'] as const)(
  'gives up at once: %s',
  async (fault) => {
    expect(await outcomeOf(untilDelivered(10_000, { mayRepeat: true }, failing(fault, 9)))).toBe(
      fault,
    );
    expect(sent).toHaveLength(1);
  },
);

it('gives up a refusal by a service', async () => {
  const send = () => Promise.reject(new Refusal('not_found'));
  expect(await outcomeOf(untilDelivered(10_000, { mayRepeat: true }, send))).toBe('not_found');
});

it('gives up when the time of the call is over', async () => {
  const call = untilDelivered(300, { mayRepeat: true }, failing('no_responder', 99));
  expect(await outcomeOf(call)).toBe('no_responder');
  expect(sent.length).toBeGreaterThan(1);
});
