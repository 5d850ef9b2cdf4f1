import type { JsonObject } from '@countersign/client/node';

import { UsageError } from '../exits.js';
import { listed } from './definitions.js';
import type { Definition } from './definitions.js';
import { newPeer } from './peer.js';
import { RpcFault } from './upstream.js';
import type { Upstream } from './upstream.js';

const CLIENT = { name: 'countersign mcp-guard', version: '1' };
const MODERN = '2026-07-28';
const LEGACY = '2025-11-25';
const PATIENCE_MS = 30_000;

/** The tools of a server of either era, for a person who writes a policy; the server is ended. @throws UsageError */
export async function lookAt(upstream: Upstream): Promise<Definition[]> {
  const peer = newPeer(upstream);
  upstream.onLine = (line) => void peer.take(line);
  const late = setTimeout(() => void upstream.close(), PATIENCE_MS);
  try {
    const meta = await introduced();
    return [...(await listed(peer, meta)).values()];
  } catch (error) {
    throw new UsageError(`The server does not list its tools: ${(error as Error).message}.`);
  } finally {
    clearTimeout(late);
    await upstream.close();
  }

  /** Newer servers know `server/discover`, older ones `initialize`. */
  async function introduced(): Promise<JsonObject | undefined> {
    const meta = {
      'io.modelcontextprotocol/protocolVersion': MODERN,
      'io.modelcontextprotocol/clientInfo': CLIENT,
      'io.modelcontextprotocol/clientCapabilities': {},
    };
    try {
      await peer.request('server/discover', { _meta: meta });
      return meta;
    } catch (error) {
      if (!(error instanceof RpcFault)) throw error;
    }
    const { protocolVersion } = await peer.request('initialize', {
      ...{ protocolVersion: LEGACY, capabilities: {}, clientInfo: CLIENT },
    });
    upstream.setProtocolVersion(String(protocolVersion));
    upstream.send(JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' }));
    return undefined;
  }
}
