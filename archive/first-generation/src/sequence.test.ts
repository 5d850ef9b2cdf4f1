import { createSequenceGuard } from './sequence.js';

describe('sequence numbers', () => {
  const replayed = expect.objectContaining({ code: 'INVALID_MESSAGE', relatedId: 'id' });

  it('rise where the transport keeps the order', () => {
    const guard = createSequenceGuard(true);
    guard.check('1', 'id');
    guard.check('5', 'id');
    expect(() => guard.check('5', 'id')).toThrow(replayed);
    expect(() => guard.check('3', 'id')).toThrow(replayed);
    guard.check('6', 'id');
  });

  it('are compared as numbers and not as text', () => {
    const guard = createSequenceGuard(true);
    guard.check('9', 'id');
    guard.check('10', 'id');
    guard.check('9007199254740993', 'id');
    expect(() => guard.check('9007199254740992', 'id')).toThrow(replayed);
    expect(() => guard.check('09007199254740993', 'id')).toThrow(replayed);
  });

  it('may overtake each other where messages are posted, but come once', () => {
    const guard = createSequenceGuard(false);
    guard.check('2', 'id');
    guard.check('1', 'id');
    expect(() => guard.check('1', 'id')).toThrow(replayed);
    expect(() => guard.check('2', 'id')).toThrow(replayed);
  });

  it('are refused when they are too old to tell', () => {
    const guard = createSequenceGuard(false);
    guard.check('5000', 'id');
    guard.check('3977', 'id');
    expect(() => guard.check('3976', 'id')).toThrow(replayed);
  });

  it('are remembered within bounds, and none is taken twice', () => {
    const guard = createSequenceGuard(false);
    for (let seq = 1; seq <= 10_000; seq += 1) guard.check(String(seq), 'id');
    for (let seq = 1; seq <= 10_000; seq += 1) {
      expect(() => guard.check(String(seq), 'id')).toThrow(replayed);
    }
  });

  it('begin anew with a connection', () => {
    const guard = createSequenceGuard(true);
    guard.check('9', 'id');
    guard.reset(true);
    guard.check('1', 'id');
  });
});
