import { setTimeout as pause } from 'node:timers/promises';
import { HASH_BYTES, TILE_WIDTH, tilePath } from '@countersign/protocol';
import type { TileId } from '@countersign/protocol';
import { PlainError } from '../plain-error.js';

/** What a log serves (c2sp.org/tlog-tiles). Throws PlainError when the log gives no answer that could be judged. */
export interface LogSource {
  checkpoint(): Promise<string>;
  /** Null when the log does not have it. */
  tile(tile: TileId, width: number): Promise<Uint8Array | null>;
}

const ANSWER_WITHIN_MS = 10_000;
const LONGEST_CHECKPOINT = 131_072;

/** A first look at a large tree may take more calls than a minute allows. */
const MOST_WAITS = 5;
const MOST_WAIT_S = 60;

/**
 * @param token sent as a bearer token, and to no other origin: redirections are not followed
 * @param ending ends the waiting for the next minute of a limited rate
 */
export function httpSource(prefix: URL, token: string | null, ending: AbortSignal): LogSource {
  const base = prefix.href.replace(/\/$/, '');
  const headers = token === null ? {} : { authorization: `Bearer ${token}` };

  async function get(path: string, most: number, waits = MOST_WAITS): Promise<Uint8Array | null> {
    let response: Response;
    try {
      const signal = AbortSignal.timeout(ANSWER_WITHIN_MS);
      response = await fetch(`${base}/${path}`, { headers, redirect: 'error', signal });
      if (response.status === 200) return await contentOf(response, most);
    } catch (error) {
      if (error instanceof PlainError) throw error;
      throw new PlainError(`${prefix.origin} does not answer (${reasonOf(error)}).`);
    }
    await response.body?.cancel();
    if (response.status === 404 || response.status === 410) return null;
    if (response.status === 429 && waits > 0 && !ending.aborted) {
      const seconds = Number(response.headers.get('retry-after') ?? 1);
      const bounded = Math.min(Math.max(seconds || 1, 1), MOST_WAIT_S);
      await pause(bounded * 1000, null, { signal: ending }).catch(() => {});
      return get(path, most, waits - 1);
    }
    const hint = [401, 403].includes(response.status)
      ? ': this log is not public; give the token of an operator with --token-file'
      : '';
    throw new PlainError(`${base}/${path} answers ${response.status}${hint}.`);
  }

  return {
    async checkpoint() {
      const content = await get('checkpoint', LONGEST_CHECKPOINT);
      if (content === null) throw new PlainError(`${base}/checkpoint: there is no such log.`);
      return Buffer.from(content).toString();
    },
    async tile({ level, index }, width) {
      const most = TILE_WIDTH * HASH_BYTES;
      const found = await get(tilePath(level, index, width), most);
      // A log may drop the parts of a tile that has become full.
      return found ?? (width < TILE_WIDTH ? get(tilePath(level, index), most) : null);
    },
  };
}

async function contentOf({ body, url }: Response, most: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of (body ?? []) as AsyncIterable<Uint8Array>) {
    size += chunk.length;
    if (size > most) throw new PlainError(`${url} is longer than ${most} bytes.`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** Names no header: one of them may be a credential. */
export function reasonOf(error: unknown): string {
  const { name, cause } = error as { name?: string; cause?: { code?: string; message?: string } };
  if (name === 'TimeoutError') return 'in time';
  return cause?.code ?? cause?.message ?? 'the request could not be sent';
}
