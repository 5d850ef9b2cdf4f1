export interface ToolExecution {
  readonly callId: string;
  readonly toolName: string;
  readonly arguments: unknown;
  status: 'pending' | 'running' | 'completed' | 'cancelled' | 'error';
  /** Epoch milliseconds. */
  readonly startTime: number;
  endTime?: number;
  result?: unknown;
  progress?: number;
  partial?: unknown;
}

/** A call that has not ended. */
export interface Call {
  readonly execution: ToolExecution;
  readonly runId: string | undefined;
  /** The client's message that asked for it. */
  readonly messageId: string;
  readonly controller: AbortController;
  readonly timer: NodeJS.Timeout;
}
