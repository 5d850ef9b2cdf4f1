import { SCOPE, validate } from '@countersign/protocol';
import { getDomain } from 'tldts';

export interface OriginSettings {
  readonly mode: 'development' | 'production';
  readonly origin: string;
  /** With `{scope}` as one DNS label; on a loopback address in development also without. */
  readonly sandbox: string;
}

export interface OriginFault {
  readonly variable: 'ORIGIN' | 'SANDBOX_ORIGIN';
  readonly message: string;
}

/** A scope's label has at most 50 characters; a longer name must not become too long by it. */
const longestLabel = 'z'.repeat(50);

/** Why these two origins cannot keep apps away from the service (protocol §8.6); null when they do. */
export function originFault({ mode, origin, sandbox }: OriginSettings): OriginFault | null {
  const ofOrigin = (message: string): OriginFault => ({ variable: 'ORIGIN', message });
  const ofSandbox = (message: string): OriginFault => ({ variable: 'SANDBOX_ORIGIN', message });

  if (!validate('AgentUiOrigin', origin)) {
    return ofOrigin(
      'is no origin; write https://name, in lower case, without a path or default port',
    );
  }
  const scopes = sandbox.split(SCOPE).length - 1;
  const filled = sandbox.replace(SCOPE, longestLabel);
  const labels = hostOf(sandbox).split('.');
  const wellPlaced = scopes === 0 || (scopes === 1 && labels.includes(SCOPE));
  if (!wellPlaced || !validate('AgentUiOrigin', filled)) {
    return ofSandbox(`is no pattern of an origin; write https://${SCOPE}.name`);
  }
  if (filled === origin) return ofSandbox('must be another origin than ORIGIN');

  const local = isLoopback(hostOf(origin)) && isLoopback(hostOf(filled));
  if (mode === 'development' && local) return null;
  if (scopes === 0) return ofSandbox(`must hold ${SCOPE} as one whole DNS label`);
  if (!origin.startsWith('https://'))
    return ofOrigin('must be https, unless it is for development');
  if (!sandbox.startsWith('https://'))
    return ofSandbox('must be https, unless it is for development');
  const sites = [longestLabel, '0'].map((label) => site(hostOf(sandbox.replace(SCOPE, label))));
  if (labels[0] !== SCOPE || sites[0] === null || sites[0] !== sites[1]) {
    return ofSandbox(`must be ${SCOPE} before a name of its own, whose site no label changes`);
  }
  if (site(hostOf(origin)) === sites[0]) {
    return ofSandbox('must be on another site than ORIGIN, not only on another subdomain');
  }
  return null;
}

export function isLoopback(host: string): boolean {
  return host === 'localhost' || host.endsWith('.localhost') || /^127(\.\d{1,3}){3}$/.test(host);
}

/** The host of an origin or pattern, without scheme and port. */
export function hostOf(origin: string): string {
  return origin.replace(/^https?:\/\//, '').replace(/:\d+$/, '');
}

/** The registrable domain by the public-suffix list, private entries included; null when there is none. */
function site(host: string): string | null {
  return getDomain(host, { allowPrivateDomains: true });
}
