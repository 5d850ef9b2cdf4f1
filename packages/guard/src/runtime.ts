/** Time, chance and identity of the process; tests and each runtime have their own. */
export interface Runtime {
  /** Milliseconds that only grow; comparable between processes of one `boot`. */
  monotonic(): number;
  /** Epoch milliseconds of this machine. */
  wall(): number;
  /** 32 random characters. */
  random(): string;
  /** Where `monotonic` counts. */
  readonly boot: string;
  /** Resolves early, and never rejects, when `signal` aborts. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /** How long a claim of another process may have no launch permit. */
  readonly foreignMs: number;
  /** What is added to a window before its process counts as gone. */
  readonly marginMs: number;
  /** How long a function may take to settle after its signal aborted. */
  readonly graceMs: number;
}

function random(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(24));
  return btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_');
}

/** Where nothing but the web's own functions is known: no other process can read this one's monotonic clock. */
export const WEB_RUNTIME: Runtime = {
  monotonic: () => performance.now(),
  wall: () => Date.now(),
  random,
  boot: `process-${performance.timeOrigin}`,
  sleep: (ms, signal) =>
    new Promise((resolve) => {
      if (signal?.aborted === true) return resolve();
      const end = () => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', end);
        resolve();
      };
      const timer = setTimeout(end, ms);
      signal?.addEventListener('abort', end, { once: true });
    }),
  foreignMs: 60_000,
  marginMs: 30_000,
  graceMs: 10_000,
};
