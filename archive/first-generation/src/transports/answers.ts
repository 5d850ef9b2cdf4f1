import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import type { Message } from '../envelope.js';
import { FAULT_STATUS } from '../fault.js';
import type { Fault } from '../fault.js';

// The session of an error that belongs to none.
const NO_SESSION = '00000000-0000-0000-0000-000000000000';

export function errorPayload(fault: Fault): Record<string, unknown> {
  return {
    code: fault.code,
    message: fault.message,
    ...(fault.relatedId === undefined ? {} : { related_id: fault.relatedId }),
    ...(fault.detail === undefined ? {} : { detail: fault.detail }),
  };
}

/** A message of type ERROR to somebody without a session. */
export function errorText(fault: Fault, now: number): string {
  const message: Message = {
    id: randomUUID(),
    session: NO_SESSION,
    seq: '1',
    ts: new Date(now).toISOString(),
    channel: 'SYSTEM',
    type: 'ERROR',
    payload: errorPayload(fault),
  };
  return JSON.stringify(message);
}

export function answerFault(
  response: ServerResponse,
  fault: Fault,
  now: number,
  status?: number,
): void {
  answer(response, status ?? FAULT_STATUS[fault.code], errorText(fault, now));
}

export function answer(
  response: ServerResponse,
  status: number,
  body = '',
  headers: Record<string, string> = {},
): void {
  if (response.headersSent || response.destroyed) return;
  response.writeHead(status, {
    ...(body === '' ? {} : { 'Content-Type': 'application/json' }),
    'Content-Length': Buffer.byteLength(body),
    'Cache-Control': 'no-store',
    'X-Content-Type-Options': 'nosniff',
    ...headers,
  });
  response.end(body);
}

/** The path of a request, and the token of its query. */
export function queryOf(url: string | undefined): { path: string; token: string | null } {
  try {
    const { pathname, searchParams } = new URL(url ?? '/', 'http://localhost');
    return { path: pathname, token: searchParams.get('token') };
  } catch {
    return { path: '', token: null };
  }
}
