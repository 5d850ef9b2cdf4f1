import { spoken } from './durations.js';

/** What people read while a command runs: on stderr, so that stdout is the result alone. */
export interface Terminal {
  /** One line. */
  say(text: string): void;
  /** A line that counts the time, until `stop` is called or something is said; nothing where no terminal is. */
  wait(text: string): { stop(): void };
  strong(text: string): string;
  bad(text: string): string;
}

const TICK_MS = 1_000;

/** Without a terminal, with `NO_COLOR` (https://no-color.org) and on a dumb one there is no colour and no line that moves. */
export function newTerminal(
  stream: NodeJS.WriteStream = process.stderr,
  env: NodeJS.ProcessEnv = process.env,
): Terminal {
  const isLive = stream.isTTY && env['TERM'] !== 'dumb';
  const hasColour = isLive && !env['NO_COLOR'];
  const colour = (code: number) => (text: string) =>
    hasColour ? `\u001B[${code}m${text}\u001B[0m` : text;
  const clear = isLive ? '\r\u001B[2K' : '';
  let redraw: (() => void) | null = null;
  return {
    say(text) {
      stream.write(`${redraw === null ? '' : clear}${text}\n`);
      redraw?.();
    },
    wait(text) {
      if (!isLive) return { stop: () => {} };
      const begun = Date.now();
      redraw = () => {
        const line = `${text} ${spoken(Date.now() - begun)}`;
        stream.write(clear + line.slice(0, Math.max(20, (stream.columns || 80) - 1)));
      };
      redraw();
      const timer = setInterval(redraw, TICK_MS);
      timer.unref();
      return {
        stop() {
          clearInterval(timer);
          if (redraw !== null) stream.write(clear);
          redraw = null;
        },
      };
    },
    strong: colour(1),
    bad: colour(31),
  };
}
