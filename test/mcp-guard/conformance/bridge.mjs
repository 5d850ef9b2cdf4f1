// Puts a server of stdin and stdout at an address, for the official conformance suite, which speaks HTTP alone: one process for
// each session of the older era, and one for all requests since 2026-07-28.
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { createInterface } from 'node:readline';

const VERSION = 'io.modelcontextprotocol/protocolVersion';
const LOCAL = /^(https?:\/\/)?(127\.0\.0\.1|localhost|\[::1\])(:\d+)?$/;

/** @param command and its arguments, environment and folder */
export async function startBridge({ command, args, env, cwd }) {
  const sessions = new Map();
  let modern = null;

  function newSession() {
    const child = spawn(command, args, { env, cwd, stdio: ['pipe', 'pipe', 'ignore'] });
    child.stdin.on('error', () => {});
    // What waits for an answer, by the id that the child sees; and the stream of an older client for all else.
    const waiting = new Map();
    let count = 0;
    let aside = null;
    const send = (response, message) => response.write(`data: ${JSON.stringify(message)}\n\n`);
    createInterface({ input: child.stdout }).on('line', (line) => {
      const message = JSON.parse(line);
      const asked = message.method === undefined ? waiting.get(message.id) : undefined;
      if (asked !== undefined) {
        waiting.delete(message.id);
        send(asked.response, { ...message, id: asked.id });
        asked.response.end();
        return;
      }
      const response = [...waiting.values()].at(-1)?.response ?? aside;
      if (response !== null) send(response, message);
    });
    const write = (message) => child.stdin.write(`${JSON.stringify(message)}\n`);
    const stream = (response, headers = {}) =>
      response.writeHead(200, {
        ...{ 'content-type': 'text/event-stream', 'cache-control': 'no-cache' },
        ...headers,
      });
    return {
      request(message, response, headers) {
        count += 1;
        const id = `bridge-${count}`;
        waiting.set(id, { id: message.id, response });
        stream(response, headers);
        response.flushHeaders();
        response.once('close', () => {
          if (waiting.delete(id))
            write({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: id } });
        });
        write({ ...message, id });
      },
      write,
      listen(response) {
        aside = response;
        stream(response);
        response.flushHeaders();
      },
      end: () => child.kill('SIGKILL'),
    };
  }

  async function serve(request, response) {
    const { host, origin } = request.headers;
    if (!LOCAL.test(host) || (origin !== undefined && !LOCAL.test(origin)))
      return response.writeHead(403).end();
    const name = request.headers['mcp-session-id'];
    const session = sessions.get(name);
    if (request.method === 'GET' || request.method === 'DELETE') {
      if (session === undefined) return response.writeHead(name === undefined ? 405 : 404).end();
      if (request.method === 'GET') return session.listen(response);
      session.end();
      sessions.delete(name);
      return response.writeHead(204).end();
    }
    let text = '';
    for await (const chunk of request) text += chunk;
    let message;
    try {
      message = JSON.parse(text);
    } catch {
      return response.writeHead(400).end();
    }
    const isRequest = message.method !== undefined && message.id !== undefined;
    if (message.params?._meta?.[VERSION] !== undefined) {
      modern ??= newSession();
      if (isRequest) return modern.request(message, response);
      modern.write(message);
      return response.writeHead(202).end();
    }
    if (message.method === 'initialize') {
      const id = randomUUID();
      sessions.set(id, newSession());
      return sessions.get(id).request(message, response, { 'mcp-session-id': id });
    }
    if (session === undefined) return response.writeHead(name === undefined ? 400 : 404).end();
    if (isRequest) return session.request(message, response);
    session.write(message);
    return response.writeHead(202).end();
  }

  const server = createServer((request, response) => void serve(request, response));
  await new Promise((settle) => server.listen(0, '127.0.0.1', settle));
  return {
    url: `http://127.0.0.1:${server.address().port}/mcp`,
    stop() {
      for (const { end } of sessions.values()) end();
      modern?.end();
      server.closeAllConnections();
      server.close();
    },
  };
}
