import { frameWithSource } from './source-of-line.js';

/** An error as it may be logged. */
export interface LoggedError {
  type: string;
  message?: string;
  code?: string;
  /** Where a database error arose: table and constraint, never values. */
  table?: string;
  constraint?: string;
  fault?: string;
  status?: number;
  stack?: string[];
  cause?: LoggedError;
}

/**
 * The parts of an error that a log may have: names, codes, frames and causes. Messages that quote data are left out: a
 * parser's excerpt, a statement's arguments, a database's "invalid input syntax" with the input; `detail`, `where` and the
 * like are never taken.
 */
export function describeError(error: unknown, depth = 0): LoggedError {
  if (!(error instanceof Error)) return { type: typeof error };
  const { code, table, constraint, fault, status } = error as Error & Record<string, unknown>;
  const described: LoggedError = { type: error.name };
  if (!quotesData(error)) described.message = error.message;
  if (typeof code === 'string') described.code = code;
  if (typeof table === 'string') described.table = table;
  if (typeof constraint === 'string') described.constraint = constraint;
  if (typeof fault === 'string') described.fault = fault;
  if (typeof status === 'number') described.status = status;
  const frames = framesOf(error);
  if (frames.length > 0) described.stack = frames;
  if (error.cause !== undefined && depth < 5)
    described.cause = describeError(error.cause, depth + 1);
  return described;
}

function quotesData(error: Error): boolean {
  if (error instanceof SyntaxError || error.name === 'SyntaxError') return true;
  if (error.name.startsWith('PrismaClient')) return true;
  const { code, severity } = error as Error & Record<string, unknown>;
  // PostgreSQL class 22, data exception: the only class whose primary message shows the value.
  return typeof severity === 'string' && typeof code === 'string' && code.startsWith('22');
}

function framesOf(error: Error): string[] {
  return (error.stack ?? '')
    .split('\n')
    .filter((line) => /^ {4}at /.test(line))
    .map((line) => frameWithSource(line.slice(7)));
}
