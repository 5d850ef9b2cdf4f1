import { reasonOf } from './log-source.js';
import type { Violation } from './violation.js';

/** What a webhook gets of a violation; the two checkpoints prove a fork or a rollback to everybody. */
export interface Alarm {
  readonly violation: Violation;
  readonly origin: string;
  /** The checkpoint in question, as the log served it. */
  readonly checkpoint: string | null;
  /** The one verified before. */
  readonly seen: string | null;
}

const ANSWER_WITHIN_MS = 10_000;

/** Sends an alarm; resolves with the reason when it was not taken. The URL may hold a secret, so that nothing quotes it. */
export async function sendAlarm(
  url: string,
  { violation, origin, checkpoint, seen }: Alarm,
): Promise<string | null> {
  const body = JSON.stringify({
    violation: violation.kind,
    sentence: violation.message,
    origin,
    checkpoint,
    seen_checkpoint: seen,
    at: new Date().toISOString(),
  });
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body,
      redirect: 'error',
      signal: AbortSignal.timeout(ANSWER_WITHIN_MS),
    });
    await response.body?.cancel();
    return response.ok ? null : `it answers ${response.status}`;
  } catch (error) {
    return `it does not answer (${reasonOf(error)})`;
  }
}
