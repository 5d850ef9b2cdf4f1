export interface Loop {
  /** Takes no further turn and waits for the one under way. */
  stop(): Promise<void>;
}

/**
 * One turn after the other with a pause between them, the first at once: of about `pauseMs`, see {@link untilBeat}. `turn` must
 * not throw.
 */
export function startLoop(pauseMs: number, turn: () => Promise<void>): Loop {
  let stopped = false;
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> = Promise.resolve();
  const take = (): void => {
    running = turn().then(() => {
      if (!stopped) timer = setTimeout(take, untilBeat(pauseMs));
    });
  };
  take();
  return {
    stop: () => {
      stopped = true;
      clearTimeout(timer);
      return running;
    },
  };
}

/**
 * Milliseconds until the next multiple of `everyMs` on the process's own clock, half of `everyMs` at least. All loops of one pace
 * wake together, so that an idle process wakes seldom and their statements share batches.
 */
export function untilBeat(everyMs: number): number {
  const rest = everyMs - (performance.now() % everyMs);
  return rest < everyMs / 2 ? rest + everyMs : rest;
}
