import { SignerUnavailable, askVault } from './vault-call.js';
import type { VaultAddress } from './vault-call.js';

/** A token for Vault; `refused`: one that Vault has refused, so that it is not given again. */
export type VaultToken = (refused?: string) => Promise<string>;

export interface KubernetesLogin extends VaultAddress {
  /** Path of the auth method, such as kubernetes. */
  readonly mount: string;
  readonly role: string;
  /** The service account's token, read for each login: the kubelet replaces it. */
  readonly jwt: () => Promise<string>;
  /** A clock that never jumps. */
  readonly monotonicMs?: () => number;
}

/** A token is replaced after this share of its time, so that calls under way have the rest. */
const USED_SHARE = 2 / 3;
/** A younger token is refused for what it asks, and another would be too: no login for each of those calls. */
const YOUNG_MS = 10_000;

/**
 * Tokens by Vault's Kubernetes auth method: one login, whose token serves all calls until two thirds of its time are over or
 * Vault refuses it. Calls that need a token at the same time share the login. Throws SignerUnavailable.
 */
export function kubernetesLogin(login: KubernetesLogin): VaultToken {
  const { monotonicMs = () => performance.now() } = login;
  let held: { readonly token: string; readonly since: number; readonly until: number } | null =
    null;
  let pending: Promise<string> | null = null;

  async function logIn(): Promise<string> {
    const path = `auth/${login.mount}/login`;
    const body = { role: login.role, jwt: await jwtOf(login) };
    const { auth } = (await askVault(login, 'POST', path, { body })) as {
      auth?: { client_token?: unknown; lease_duration?: unknown };
    };
    const { client_token: token, lease_duration: seconds } = auth ?? {};
    if (typeof token !== 'string')
      throw new SignerUnavailable(`${path} was answered with no token`);
    // 0: it has no end.
    const lasts = Number(seconds) > 0 ? Number(seconds) * 1000 * USED_SHARE : Infinity;
    const since = monotonicMs();
    held = { token, since, until: since + lasts };
    return token;
  }

  return async (refused) => {
    const now = monotonicMs();
    if (held !== null && now < held.until) {
      if (held.token !== refused || now - held.since < YOUNG_MS) return held.token;
    }
    held = null;
    pending ??= logIn().finally(() => (pending = null));
    return pending;
  };
}

async function jwtOf({ jwt }: KubernetesLogin): Promise<string> {
  try {
    return await jwt();
  } catch (error) {
    const { code } = error as { code?: unknown };
    throw new SignerUnavailable(`the service account's token cannot be read: ${String(code)}`);
  }
}
