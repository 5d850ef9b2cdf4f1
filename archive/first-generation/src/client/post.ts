import { request } from 'undici';
import type { LinkListener, LinkOptions } from './link.js';

/** Posts one message; what is answered is told as a message too. Resolves to the status. */
export async function post(
  { url, token, headers }: LinkOptions,
  text: string,
  listener: LinkListener,
): Promise<number> {
  const { statusCode, body } = await request(`${url}/proto/stream`, {
    method: 'POST',
    headers: { ...headers, 'Content-Type': 'application/json', Authorization: `Bearer ${token}` },
    body: text,
  });
  const said = await body.text();
  if (said !== '') listener.text(said);
  return statusCode;
}
