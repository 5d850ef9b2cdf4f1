import type { Message } from './envelope.js';
import type { Run } from './run.js';
import type { ToolExecution } from './tool-execution.js';

/** The archived document's §6, and `message`, which is ours: every message that was accepted. */
export interface ServerEvents {
  started: [];
  stopped: [];
  connect: [sessionId: string];
  disconnect: [sessionId: string];
  handshake: [sessionId: string, payload: Record<string, unknown>];
  textMessage: [sessionId: string, message: Message];
  audioChunk: [sessionId: string, message: Message];
  binary: [sessionId: string, data: Buffer];
  runStarted: [sessionId: string, run: Run];
  runFinished: [sessionId: string, run: Run];
  runCancelled: [sessionId: string, run: Run];
  toolCall: [sessionId: string, execution: ToolExecution];
  message: [sessionId: string, message: Message];
  error: [error: Error];
}
