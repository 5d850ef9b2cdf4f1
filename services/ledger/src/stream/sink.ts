import type { SinkName, StreamedEntry } from '../store/security-stream.js';

/** A collector of the security log. */
export interface Sink {
  readonly name: SinkName;
  /**
   * Resolves once the collector has all of it, or has said that it does not want `refused` of it and never will. Ends
   * within {@link SEND_MS}.
   *
   * @throws SinkUnavailable: everything is to be sent again
   */
  send(entries: readonly StreamedEntry[]): Promise<{ readonly refused: number }>;
  /** Closes its connections and files between batches. */
  close?(): Promise<void>;
}

/** The longest that one batch may take. */
export const SEND_MS = 10_000;

/** Why a collector did not take a batch, in words for a log. */
export class SinkUnavailable extends Error {
  override readonly name = 'SinkUnavailable';

  /** `retryAfterMs`: when the collector wants to be asked again, if it says so. */
  constructor(
    message: string,
    readonly retryAfterMs: number | null = null,
  ) {
    super(message);
  }
}

/** The fault of a connection without any sent data: its code, else its kind. */
export function faultOf(error: unknown): string {
  const { code, name } = error as NodeJS.ErrnoException;
  return code ?? name ?? 'unknown';
}

/** The certificates and keys of connections to collectors, each in PEM form. */
export interface CollectorTls {
  /** Instead of the usual authorities. */
  readonly ca?: string | undefined;
  /** The certificate of this process, where the collector asks for one. */
  readonly cert?: string | undefined;
  readonly key?: string | undefined;
}

/** One entry as one line of canonical JSON, without the line's end. */
export function lineOf({ entry, head, ledger_id, previous_head, sequence }: StreamedEntry): string {
  const rest = JSON.stringify({ head, ledger_id, previous_head, sequence });
  return `{"entry":${entry},${rest.slice(1)}`;
}
