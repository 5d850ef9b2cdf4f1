/** An error whose message alone tells a person what is wrong and what to do about it. */
export class PlainError extends Error {
  override readonly name = 'PlainError';
}

/** What to print about an error: the message of a plain one, the whole story of every other. */
export function explain(error: unknown): string {
  if (error instanceof PlainError) return error.message;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
