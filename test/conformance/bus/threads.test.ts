import { MessageChannel } from 'node:worker_threads';
import { busFaultOf, createInProcessBus } from '@countersign/platform';
import type { InProcessBus, Logger } from '@countersign/platform';
import { until } from '@countersign/platform/testing';
import { describeBus, expectFault, gate, silent } from './suite.js';

/** Each bus is linked to all that were made before it, as those of the threads of one process are. */
function linkedBuses() {
  const made: InProcessBus[] = [];
  return {
    made,
    make(log: Logger, drainMs = 500): InProcessBus {
      const bus = createInProcessBus({ log, drainMs });
      for (const other of made) {
        const { port1, port2 } = new MessageChannel();
        other.link(port1);
        bus.link(port2);
      }
      made.push(bus);
      return bus;
    },
  };
}

describe('bus of several threads', () => {
  let buses = linkedBuses();

  beforeEach(() => {
    buses = linkedBuses();
  });

  describeBus({ make: async (_name, log) => buses.make(log) });

  describe('a thread that ends', () => {
    afterEach(() => Promise.all(buses.made.map((bus) => bus.close())));

    it('is known to the others as gone, and requests go to who is left', async () => {
      const caller = buses.make(silent);
      const [one, other] = [buses.make(silent), buses.make(silent)];
      for (const [name, bus] of Object.entries({ one, other })) {
        await bus.serve('t.who', 'q', async () => ({ status: 200, body: name }));
      }
      const ask = () =>
        caller.call('t.who', { timeoutMs: 1000 }, '').then(({ body }) => body, busFaultOf);
      const twice = async () => [await ask(), await ask()].sort();
      expect(await twice()).toEqual(['one', 'other']);
      await one.close();
      await until(async () => (await twice()).join() === 'other,other');
      await other.close();
      await until(async () => (await ask()) === 'no_responder');
    });

    it('leaves no call waiting that it has not answered', async () => {
      const caller = buses.make(silent);
      const server = buses.make(silent, 50);
      const held = gate();
      let started = 0;
      await server.serve('t.held', 'q', async () => {
        started += 1;
        await held.wait;
        return { status: 200, body: '' };
      });
      const fault = expectFault(caller.call('t.held', { timeoutMs: 30_000 }, ''), 'disconnected');
      await until(() => started === 1);
      await server.close();
      await fault;
      held.open();
    });
  });

  it('knows what was served before it was linked', async () => {
    const early = buses.make(silent);
    await early.serve('t.early', 'q', async () => ({ status: 200, body: 'here' }));
    const late = buses.make(silent);
    await until(() =>
      late.call('t.early', { timeoutMs: 1000 }, '').then(
        ({ body }) => body === 'here',
        () => false,
      ),
    );
    await Promise.all([early.close(), late.close()]);
  });
});
