/** An error whose message alone names the fault and the remedy. */
export class PlainError extends Error {
  override readonly name = 'PlainError';
}

/** The text to print about an error: the message of a plain one, message, stack and causes of every other. */
export function explain(error: unknown): string {
  if (error instanceof PlainError) return error.message;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
