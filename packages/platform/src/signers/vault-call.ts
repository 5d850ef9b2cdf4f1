/** Where Vault or OpenBao is, and how long it may take. */
export interface VaultAddress {
  /** Origin, such as https://vault.example:8200. */
  readonly url: string;
  readonly namespace?: string;
  /** The longest that one call may take, its answer's last byte included. */
  readonly timeoutMs: number;
}

/** The reason of a key service's failure; its words are fit for a log, and do not quote the text to sign. */
export class SignerUnavailable extends Error {
  override readonly name = 'SignerUnavailable';
}

/** Answers are small; a larger one is invalid. */
const LARGEST = 65_536;

interface Asked {
  readonly body?: object;
  /** With the token that was refused before, if one was. */
  readonly token?: (refused?: string) => Promise<string>;
}

/**
 * The JSON that `/v1/<path>` answers with. Asks a second time where the first answer was none or a refusal: asking twice
 * does no harm. Throws SignerUnavailable.
 */
export async function askVault(
  address: VaultAddress,
  method: 'GET' | 'POST',
  path: string,
  asked: Asked = {},
): Promise<unknown> {
  const { status, text } = await answerTo(address, method, path, asked);
  if (status !== 200) {
    throw new SignerUnavailable(`${method} ${path} was answered with ${wordsOf(status)}`);
  }
  try {
    return JSON.parse(text) ?? {};
  } catch {
    throw new SignerUnavailable(`${method} ${path} was not answered with JSON`);
  }
}

async function answerTo(address: VaultAddress, method: string, path: string, asked: Asked) {
  const signal = AbortSignal.timeout(address.timeoutMs);
  const { token = async () => undefined } = asked;
  let given: string | undefined;
  const ask = async (refused?: string) => {
    given = await token(refused);
    return send(address, signal, method, path, given, asked.body);
  };
  try {
    const first = await ask();
    // Perhaps the token was renewed since.
    return first.status === 403 && asked.token !== undefined ? await ask(given) : first;
  } catch (error) {
    // A kept connection that the other side has ended meanwhile looks like this.
    if (signal.aborted || error instanceof SignerUnavailable) {
      throw faultOf(error, signal, address, path);
    }
  }
  try {
    return await ask();
  } catch (error) {
    throw faultOf(error, signal, address, path);
  }
}

function faultOf(
  error: unknown,
  signal: AbortSignal,
  { timeoutMs }: VaultAddress,
  path: string,
): SignerUnavailable {
  if (error instanceof SignerUnavailable) return error;
  const { code } = ((error as Error).cause ?? error) as { code?: unknown };
  const why = signal.aborted
    ? `no answer within ${timeoutMs} ms`
    : typeof code === 'string'
      ? code
      : 'no connection';
  return new SignerUnavailable(`${path}: ${why}`);
}

async function send(
  { url, namespace }: VaultAddress,
  signal: AbortSignal,
  method: string,
  path: string,
  token: string | undefined,
  body: object | undefined,
) {
  const response = await fetch(`${url}/v1/${path}`, {
    method,
    signal,
    redirect: 'error',
    headers: {
      'X-Vault-Request': 'true',
      ...(token === undefined ? {} : { 'X-Vault-Token': token }),
      ...(namespace === undefined ? {} : { 'X-Vault-Namespace': namespace }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: response.status, text: await limited(response) };
}

async function limited(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    chunks.push(chunk as Uint8Array);
    size += (chunk as Uint8Array).length;
    if (size > LARGEST) throw new SignerUnavailable('the answer is too large');
  }
  return Buffer.concat(chunks).toString('utf8');
}

function wordsOf(status: number): string {
  if (status === 503) return '503: it is sealed, or in standby';
  if (status === 403) return '403: the token or the login may not do that';
  if (status === 404) return '404: there is no such key or engine';
  return String(status);
}
