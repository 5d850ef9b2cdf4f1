/** What a line may hold: names of ours and counts. No address with its query, no header, no token, nobody's text. */
export type LogFields = Readonly<Record<string, string | number | boolean>>;

export type Log = (event: string, fields?: LogFields) => void;

/** One JSON object per line. */
export function createLog(enabled: boolean, write: (line: string) => void, now: () => number): Log {
  if (!enabled) return () => undefined;
  return (event, fields = {}) => {
    write(`${JSON.stringify({ time: new Date(now()).toISOString(), event, ...fields })}\n`);
  };
}
