export interface Run {
  readonly runId: string;
  readonly threadId?: string;
  status: 'active' | 'finished' | 'cancelled' | 'error';
  /** Epoch milliseconds. */
  readonly startTime: number;
  endTime?: number;
  readonly metadata?: unknown;
  summary?: unknown;
  error?: unknown;
}
