import * as lifecycle from './index.js';
import { reachable } from './testing/exploration.js';
import { SCENARIOS } from './testing/matrix.js';

const { applyDue, retireNamespace, retireWithoutEvents } = lifecycle;

describe.each(SCENARIOS)('every state of a request for $purpose', (scenario) => {
  const reached = Array.from(reachable(lifecycle, scenario), ({ state, now }) => ({ state, now }));

  it('is retired without an event, and to the same end once due deadlines have their events', () => {
    for (const { state, now } of reached) {
      const retired = retireWithoutEvents(state, now);
      expect(retired.revision).toBe(state.revision);
      expect(applyDue(retired, now).next).toEqual(retireNamespace(state, now).next);
    }
  });

  it('has no authority left from that moment on', () => {
    for (const { state, now } of reached) {
      const retired = retireWithoutEvents(state, now);
      expect(retired.invalidated).not.toBeNull();
      expect(applyDue(retired, now).next.decision).not.toBe('pending');
      expect(['none', 'pending_anchor', 'available']).not.toContain(
        applyDue(retired, now).next.grant,
      );
    }
  });

  it('is reached with and without a deadline that has come', () => {
    const left = reached.filter(
      ({ state, now }) => retireNamespace(state, now).records.length > 0,
    ).length;
    expect([left > 0, left < reached.length]).toEqual([true, true]);
  });
});
