/** The content of a refusal (RFC 9457, protocol R3). Clients key on `code` only. */
export interface ProblemParts {
  readonly status: number;
  readonly code: string;
  readonly title: string;
  readonly detail: string;
  /** Names this very call in the service's logs. */
  readonly trace: string;
  /** Seconds after which to try again, when the service says so. */
  readonly retryAfter: number | null;
}

/** The service answered, and refused. */
export class Problem extends Error {
  override readonly name = 'Problem';
  readonly status: number;
  readonly code: string;
  readonly title: string;
  readonly detail: string;
  readonly trace: string;
  readonly retryAfter: number | null;

  constructor(parts: ProblemParts) {
    super(`${parts.status} ${parts.code}`);
    this.status = parts.status;
    this.code = parts.code;
    this.title = parts.title;
    this.detail = parts.detail;
    this.trace = parts.trace;
    this.retryAfter = parts.retryAfter;
  }
}

/**
 * No answer came, or none that the service can have given. The command may have had its effect or not: only a retry with
 * the same idempotency key tells.
 */
export class Unanswered extends Error {
  override readonly name = 'Unanswered';
}

/** Makes a problem of a refusal's body, with any content. */
export function problemOf(status: number, text: string, retryAfter: string | null): Problem {
  const body = objectIn(text);
  const word = (name: string) => (typeof body[name] === 'string' ? body[name] : '');
  return new Problem({
    status,
    code: word('error') || 'service_unavailable',
    title: word('title') || `The service answered ${status}`,
    detail: word('detail'),
    trace: word('instance'),
    retryAfter: retryAfter !== null && /^\d{1,6}$/.test(retryAfter) ? Number(retryAfter) : null,
  });
}

function objectIn(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? { ...value } : {};
  } catch {
    return {};
  }
}
