import type { ServerConfig } from './config.js';
import { disconnect } from './connections.js';
import type { Core } from './core.js';
import { createDirectory } from './directory.js';
import { createLog } from './log.js';
import { createOutbound } from './outbound.js';
import type { ServerEvents } from './server-events.js';
import { createStatistics } from './statistics.js';
import type { ToolServer } from './tool-definition.js';
import { createToolRegistry } from './tools.js';
import { errorPayload } from './transports/answers.js';

// So much nonsense between two looks at a client, and the server reads on only after the next.
const MOST_REFUSED = 100;

/** Puts the parts of a server together. */
export function createCore(
  server: ToolServer,
  config: ServerConfig,
  write: (line: string) => void,
): Core {
  const now = () => Date.now();
  const log = createLog(config.enableLogging, write, now);
  const tools = createToolRegistry();

  function emit<Name extends keyof ServerEvents>(name: Name, ...values: ServerEvents[Name]): void {
    // An `error` that nobody listens for would end the process.
    if (name === 'error' && server.listenerCount('error') === 0) return;
    try {
      (server.emit as (event: string, ...args: unknown[]) => boolean).call(server, name, ...values);
    } catch (error) {
      log('listener failed', { event: name });
      if (name !== 'error') emit('error', error instanceof Error ? error : new Error('listener'));
    }
  }

  const core: Core = {
    config,
    log,
    now,
    emit,
    tools,
    statistics: createStatistics(now()),
    directory: createDirectory(),
    outbound: createOutbound(config, now, ({ connection }) => {
      if (connection === undefined) return;
      core.detach(connection, 1013, 'slow consumer');
      // What it has not read would be kept until it does.
      connection.transport.terminate();
    }),
    async execute({ toolName, arguments: args, callId }, sessionId, signal) {
      return tools.find(toolName)?.execute?.(args, sessionId, callId, server, signal);
    },
    report(to, fault) {
      core.statistics.failed();
      const { connection } = to;
      if (connection !== undefined) {
        connection.refused += 1;
        connection.refusedOfLate += 1;
        if (connection.refusedOfLate > MOST_REFUSED) connection.transport.hold();
      }
      const message = core.outbound.send(to, {
        type: 'ERROR',
        channel: 'SYSTEM',
        payload: errorPayload(fault),
      });
      emit('error', fault);
      return message;
    },
    detach: (connection, code, reason) => disconnect(core, connection, code, reason),
  };
  return core;
}
