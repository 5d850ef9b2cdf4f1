import type { Message } from './envelope.js';
import { createReplayWindow } from './replay-window.js';

const NOW = 1_700_000_000_000;

function numbered(seq: number): Message {
  return {
    id: `m${seq}`,
    session: 's',
    seq: String(seq),
    ts: '',
    channel: 'USER',
    type: 'TEXT_MESSAGE_END',
    payload: {},
  };
}

function filled(limits: Partial<Parameters<typeof createReplayWindow>[0]>, count: number) {
  const window = createReplayWindow({ size: 1000, bytes: 1e6, time: 60_000, ...limits });
  for (let seq = 1; seq <= count; seq += 1) window.add(numbered(seq), undefined, 100, NOW + seq);
  return window;
}

describe('the replay window', () => {
  it('holds so many messages', () => {
    const window = filled({ size: 3 }, 5);
    expect([...window.messages.keys()]).toEqual(['3', '4', '5']);
    expect(window.lost).toBe(2n);
  });

  it('holds so many bytes', () => {
    const window = filled({ bytes: 250 }, 5);
    expect([...window.messages.keys()]).toEqual(['4', '5']);
  });

  it('forgets a message that is larger than all of it', () => {
    const window = filled({ bytes: 250 }, 2);
    window.add(numbered(3), undefined, 300, NOW);
    expect(window.messages.size).toBe(0);
    expect(window.lost).toBe(3n);
  });

  it('holds them for so long', () => {
    const window = filled({ time: 10 }, 5);
    window.expire(NOW + 13);
    expect([...window.messages.keys()]).toEqual(['3', '4', '5']);
    window.expire(NOW + 100);
    expect(window.messages.size).toBe(0);
  });

  it('has what stands between two numbers, both included', () => {
    const window = filled({}, 12);
    const seqs = (from: bigint, to?: bigint) =>
      window.between(from, to).map(({ message }) => message.seq);
    expect(seqs(9n, 11n)).toEqual(['9', '10', '11']);
    expect(seqs(11n)).toEqual(['11', '12']);
    expect(seqs(13n)).toEqual([]);
    expect(seqs(5n, 4n)).toEqual([]);
  });

  it('keeps binary frames with their messages', () => {
    const window = filled({}, 0);
    window.add(numbered(1), Buffer.from('bytes'), 100, NOW);
    expect(window.between(1n, undefined)[0]?.binary?.toString()).toBe('bytes');
  });
});
