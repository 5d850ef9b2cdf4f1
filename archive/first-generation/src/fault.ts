/** The codes of the archived document, §7, with the HTTP status that an answer to a POST has (ours: it shows none). */
export const FAULT_STATUS = {
  INVALID_TOKEN: 401,
  MISSING_TOKEN: 401,
  INVALID_MESSAGE: 400,
  UNSUPPORTED_TYPE: 400,
  TOOL_NOT_FOUND: 404,
  TOOL_EXECUTION_ERROR: 500,
  INSUFFICIENT_CREDITS: 429,
  CHANNEL_PAUSED: 409,
  MISSING_RUN_ID: 400,
  RUN_NOT_FOUND: 404,
  MAX_RUNS_EXCEEDED: 429,
} as const;

export type FaultCode = keyof typeof FAULT_STATUS;

export interface FaultOrigin {
  /** The `id` of the message at fault. */
  readonly relatedId?: string;
  readonly detail?: unknown;
  readonly cause?: unknown;
}

/** What goes back to a client as a message of type ERROR. Its text is ours and never quotes what the client sent. */
export class Fault extends Error {
  readonly code: FaultCode;
  readonly relatedId: string | undefined;
  readonly detail: unknown;

  constructor(code: FaultCode, message: string, origin: FaultOrigin = {}) {
    super(message, origin.cause === undefined ? {} : { cause: origin.cause });
    this.name = 'Fault';
    this.code = code;
    this.relatedId = origin.relatedId;
    this.detail = origin.detail;
  }
}
