export interface Loop {
  /** Takes no further turn and waits for the one under way. */
  stop(): Promise<void>;
}

/** One turn after the other with a pause between them, the first at once. `turn` must not throw. */
export function startLoop(pauseMs: number, turn: () => Promise<void>): Loop {
  let stopped = false;
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> = Promise.resolve();
  const take = (): void => {
    running = turn().then(() => {
      if (!stopped) timer = setTimeout(take, pauseMs);
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
