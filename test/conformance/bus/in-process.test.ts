import { createInProcessBus } from '@countersign/platform';
import type { Bus } from '@countersign/platform';
import { describeBus } from './suite.js';

describe('bus in process', () => {
  let bus: Bus | null = null;

  afterEach(() => {
    bus = null;
  });

  describeBus({
    async make(_name, log) {
      bus ??= createInProcessBus({ log, drainMs: 500 });
      return bus;
    },
  });
});
