import type { Bus } from '@countersign/platform';
import { connectedOnce } from './bus-context.js';

it('keeps a process that callers reach ready without the bus, once it has been connected', () => {
  let connected = false;
  const check = connectedOnce({ ready: () => connected } as Bus);
  expect(check).toThrow('the bus is not connected');
  connected = true;
  check();
  connected = false;
  check();
});
