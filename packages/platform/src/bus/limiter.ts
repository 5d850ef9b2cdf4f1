/** Work that waits for its turn. */
export interface Task {
  /** Asked when its turn comes: an overdue task is dropped before it starts. */
  isOverdue(): boolean;
  /** Must not reject. */
  run(): Promise<void>;
}

export interface Limiter {
  /** False when the backlog is full: the task was not taken. */
  submit(task: Task): boolean;
  /** Resolves when nothing runs and nothing waits. */
  idle(): Promise<void>;
}

/** Runs at most `concurrency` tasks at once, in the order of their coming, and lets at most `backlog` wait. */
export function createLimiter(concurrency: number, backlog: number): Limiter {
  let running = 0;
  let waiting: Task[] = [];
  let next = 0;
  let onIdle: (() => void)[] = [];

  function start(task: Task): void {
    running += 1;
    // A rejection would be a mistake, but must not cost the place.
    void task.run().then(finish, finish);
  }

  function finish(): void {
    running -= 1;
    while (next < waiting.length && running < concurrency) {
      const task = waiting[next] as Task;
      next += 1;
      if (!task.isOverdue()) start(task);
    }
    compact();
    if (running === 0) {
      const listeners = onIdle;
      onIdle = [];
      for (const listener of listeners) listener();
    }
  }

  /** Releases taken items, without moving the rest at each step. */
  function compact(): void {
    if (next === waiting.length) {
      waiting.length = 0;
      next = 0;
    } else if (next > 1024) {
      waiting = waiting.slice(next);
      next = 0;
    }
  }

  /** Callers that gave up must not keep others out. */
  function makeRoom(): void {
    waiting = waiting.slice(next).filter((task) => !task.isOverdue());
    next = 0;
  }

  return {
    submit(task) {
      if (running < concurrency) {
        start(task);
        return true;
      }
      if (waiting.length - next >= backlog) makeRoom();
      if (waiting.length - next >= backlog) return false;
      waiting.push(task);
      return true;
    },
    idle() {
      if (running === 0) return Promise.resolve();
      return new Promise((resolve) => onIdle.push(resolve));
    },
  };
}
