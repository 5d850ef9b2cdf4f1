import { createAllowance } from './allowance.js';
import { flowControlOf } from './flow-config.js';

const NOW = 1_700_000_000_000;
const overdrawn = expect.objectContaining({ code: 'INSUFFICIENT_CREDITS' });

function allowance(flow: Parameters<typeof flowControlOf>[0] = {}) {
  return createAllowance(flowControlOf(flow), NOW);
}

function spend(held: ReturnType<typeof allowance>, messages: number, bytes = 10) {
  for (let count = 0; count < messages; count += 1) held.take('USER', bytes);
}

describe('an allowance', () => {
  it('is spent in messages, per channel', () => {
    const held = allowance({ initialCreditMessages: 3 });
    spend(held, 3);
    expect(() => held.take('USER', 10)).toThrow(overdrawn);
    held.take('AGENT', 10);
  });

  it('is spent in bytes', () => {
    const held = allowance({ initialCreditBytes: 25 });
    spend(held, 2);
    expect(() => held.take('USER', 10)).toThrow(overdrawn);
    held.take('USER', 5);
  });

  it('is filled up at the threshold and not before', () => {
    const held = allowance({ adaptiveAdjustment: false });
    spend(held, 799);
    expect(held.refill(false, NOW)).toEqual([]);
    spend(held, 1);
    expect(held.refill(false, NOW)).toEqual([
      { channel: 'USER', add_messages: 800, add_bytes: 8000 },
    ]);
    expect(held.refill(false, NOW)).toEqual([]);
  });

  it('is filled up after a message that it was too small for', () => {
    const held = allowance({ initialCreditBytes: 1000, adaptiveAdjustment: false });
    held.take('USER', 600);
    expect(() => held.take('USER', 600)).toThrow(overdrawn);
    expect(held.refill(false, NOW)).toHaveLength(1);
    held.take('USER', 600);
  });

  it('grows with a busy client, up to the most', () => {
    const held = allowance({ maxCredits: 3000 });
    spend(held, 900);
    expect(held.refill(false, NOW + 250)[0]?.add_messages).toBe(1900);
    spend(held, 1900);
    expect(held.refill(false, NOW + 500)[0]?.add_messages).toBe(2900);
  });

  it('stays as it is with a calm client', () => {
    const held = allowance();
    spend(held, 900);
    expect(held.refill(false, NOW + 60_000)[0]?.add_messages).toBe(900);
  });

  it('gives nothing under pressure and shrinks, down to the least', () => {
    const held = allowance({ minCredits: 300 });
    spend(held, 1000);
    for (let look = 0; look < 5; look += 1) expect(held.refill(true, NOW)).toEqual([]);
    expect(held.refill(false, NOW + 60_000)[0]?.add_messages).toBe(300);
  });

  it('does not count where flow control is off, except on SYSTEM', () => {
    const held = allowance({ enabled: false, initialCreditMessages: 1 });
    spend(held, 100);
    for (let count = 0; count < 1000; count += 1) held.take('SYSTEM', 10);
    expect(() => held.take('SYSTEM', 10)).toThrow(overdrawn);
  });

  it('of SYSTEM is filled up without a word', () => {
    const held = allowance();
    for (let count = 0; count < 1000; count += 1) held.take('SYSTEM', 10);
    expect(held.refill(false, NOW)).toEqual([]);
    held.take('SYSTEM', 10);
  });
});
