import {
  CLIENT_CAPABILITIES_META_KEY,
  MissingRequiredClientCapabilityError,
  ProtocolError,
  ProtocolErrorCode,
  fromJsonSchema,
} from '@modelcontextprotocol/server';
import type {
  CallToolResult,
  ClientCapabilities,
  McpServer,
  ServerContext,
} from '@modelcontextprotocol/server';
import { ServiceRefusal, status as statusOperation } from '@countersign/client/node';
import type { Client, RequestStatus } from '@countersign/client/node';

import { TASKS } from '../mcp-guard/results.js';

const POLL_MS = 5_000;

/** What the client of a request can do; `usual` holds for clients before 2026-07-28, which say it once. */
export function abilitiesIn(
  { mcpReq }: ServerContext,
  usual: ClientCapabilities | undefined,
): ClientCapabilities {
  const own = (mcpReq.envelope as Record<string, unknown> | undefined)?.[
    CLIENT_CAPABILITIES_META_KEY
  ];
  return (own as ClientCapabilities | undefined) ?? usual ?? {};
}

export function takesTasks(context: ServerContext): boolean {
  return abilitiesIn(context, undefined).extensions?.[TASKS] !== undefined;
}

/**
 * A question as a task (extension io.modelcontextprotocol/tasks). Its id is that of the request, which only its producer
 * can read: so a task needs no state here, outlives this process, and is that of its caller alone.
 */
export function taskOf({ request, decision_state, review_link }: RequestStatus) {
  const { id, accepted_at, private_delete_at } = request;
  const status =
    decision_state === 'pending'
      ? 'working'
      : decision_state === 'cancelled'
        ? 'cancelled'
        : 'completed';
  return {
    ...{ taskId: id, status, createdAt: accepted_at, lastUpdatedAt: new Date().toISOString() },
    ttlMs: Date.parse(private_delete_at) - Date.parse(accepted_at),
    pollIntervalMs: POLL_MS,
    ...(status === 'working' && { statusMessage: `Waits for people: ${review_link}` }),
  };
}

interface Given {
  /** The result of the call that the task stands for. */
  shown(status: RequestStatus): Promise<CallToolResult>;
  withdraw(id: string): Promise<unknown>;
  readonly scopes: { readonly ask: string; readonly read: string };
}

/** Lets clients look at their questions as tasks, and withdraw them. */
export function addTasks(
  { server }: McpServer,
  client: Client,
  { shown, withdraw, scopes }: Given,
): void {
  server.registerCapabilities({ extensions: { [TASKS]: {} } });
  const params = fromJsonSchema<{ taskId: string }>({
    ...{ type: 'object', required: ['taskId'] },
    properties: { taskId: { type: 'string', minLength: 1, maxLength: 64 } },
  } as never);
  const handle = (
    method: string,
    scope: string,
    answer: (id: string) => Promise<Record<string, unknown>>,
  ) =>
    server.setRequestHandler(method, { params }, async ({ taskId }, context) => {
      if (!takesTasks(context))
        throw new MissingRequiredClientCapabilityError({
          requiredCapabilities: { extensions: { [TASKS]: {} } },
        });
      const granted = context.http?.authInfo?.scopes;
      if (granted !== undefined && !granted.includes(scope))
        throw new ProtocolError(ProtocolErrorCode.InvalidRequest, `The token lacks ${scope}.`);
      return { resultType: 'complete', ...(await answer(taskId)) };
    });
  const statusOf = (id: string) =>
    client.call(statusOperation, { id }).catch((error: unknown) => {
      if (!(error instanceof ServiceRefusal)) throw error;
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'There is no such task.');
    });

  handle('tasks/get', scopes.read, async (id) => {
    const status = await statusOf(id);
    const task = taskOf(status);
    return { ...task, ...(task.status === 'completed' && { result: await shown(status) }) };
  });
  // A question asks for no more input: there is nothing to take.
  handle('tasks/update', scopes.ask, async (id) => (await statusOf(id), {}));
  handle('tasks/cancel', scopes.ask, async (id) => {
    const { decision_state } = await statusOf(id);
    // People may decide meanwhile, which the next look shows.
    if (decision_state === 'pending') await withdraw(id).catch(() => {});
    return {};
  });
}
