import { request } from 'node:https';
import type { IncomingMessage } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { createInterface } from 'node:readline';

const AGAIN_AFTER_MS = 500;

/** The API server, as an administrator asks it. */
export interface Api {
  readonly url: string;
  readonly token: string;
  /** Of the server's certificate, PEM. */
  readonly authority: string;
}

export interface Named {
  readonly metadata: { readonly name: string; readonly namespace?: string };
}

/** Tells all objects at a path, now and after each change, until the signal. */
export async function watch<T extends Named>(
  api: Api,
  path: string,
  told: (objects: readonly T[]) => void,
  signal: AbortSignal,
): Promise<void> {
  const objects = new Map<string, T>();
  const nameOf = ({ metadata }: Named): string => `${metadata.namespace}/${metadata.name}`;
  while (!signal.aborted) {
    try {
      const list = JSON.parse(await textOf(await get(api, path, signal))) as {
        metadata: { resourceVersion: string };
        items: T[];
      };
      objects.clear();
      for (const item of list.items) objects.set(nameOf(item), item);
      told([...objects.values()]);
      const from = `watch=true&resourceVersion=${list.metadata.resourceVersion}`;
      for await (const line of createInterface(await get(api, `${path}?${from}`, signal))) {
        const { type, object } = JSON.parse(line) as { type: string; object: T };
        if (type === 'ERROR') break;
        if (type === 'DELETED') objects.delete(nameOf(object));
        else objects.set(nameOf(object), object);
        told([...objects.values()]);
      }
    } catch {
      // The server is starting, or ended the watch: all of it is asked for again.
    }
    await delay(AGAIN_AFTER_MS, undefined, { signal }).catch(() => {});
  }
}

function get(
  { url, token, authority }: Api,
  path: string,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  const headers = { authorization: `Bearer ${token}` };
  return new Promise((resolve, reject) => {
    request(new URL(path, url), { headers, ca: authority, signal }, (response) => {
      if (response.statusCode === 200) resolve(response);
      else reject(new Error(`${path}: ${response.statusCode}`));
    })
      .once('error', reject)
      .end();
  });
}

async function textOf(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}
