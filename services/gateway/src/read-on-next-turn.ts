import type { IncomingMessage } from 'node:http';

import type { Turn } from '@countersign/platform';

/**
 * Reads nothing more of a call's body until its next turn of the event loop. A connection that flows gives up to 2 MB in one
 * turn, and a fast client fills every turn. `wanted`: whether the rest is still to be read then.
 */
export function readOnNextTurn(request: IncomingMessage, turn: Turn, wanted = () => true): void {
  request.pause();
  void turn().then(() => {
    if (wanted()) request.resume();
  });
}
