/** Calls of the /v2 API from a page of this origin. */

/** A refusal of the service: `code` is the member clients key on. */
export class Refused extends Error {
  constructor(problem, status) {
    super(problem.detail ?? problem.title ?? `The service answered ${status}`);
    this.code = problem.error ?? 'service_unavailable';
    this.status = status;
  }
}

let session = null;

/** Who is signed in; asks the service once. */
export async function whoAmI() {
  session ??= await call('GET', '/auth/session');
  return session;
}

/** One key per intended effect: the same call may be repeated with it safely. */
export function newKey() {
  return crypto.randomUUID();
}

export function read(path) {
  return call('GET', path);
}

export async function send(path, body, key) {
  const { csrf } = await whoAmI();
  return call('POST', path, {
    body: JSON.stringify(body),
    headers: { 'Content-Type': 'application/json', 'Idempotency-Key': key, 'X-CSRF-Token': csrf },
  });
}

async function call(method, path, options = {}) {
  const answer = await fetch(path, { method, redirect: 'error', ...options });
  if (answer.status === 401) {
    location.assign(`/auth/login?return_to=${encodeURIComponent(location.pathname)}`);
  }
  const text = await answer.text();
  const value = text === '' ? null : JSON.parse(text);
  if (!answer.ok) throw new Refused(value ?? {}, answer.status);
  return value;
}

/** RFC 8785 of what JSON.parse gave: keys by UTF-16 code units, ECMAScript numbers. */
export function canonical(value) {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  const members = Object.keys(value)
    .sort()
    .map((key) => `${JSON.stringify(key)}:${canonical(value[key])}`);
  return `{${members.join(',')}}`;
}

/** The digest of a text's UTF-8 bytes, as the service writes digests. */
export async function digest(text) {
  const bytes = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text));
  const hex = Array.from(new Uint8Array(bytes), (byte) => byte.toString(16).padStart(2, '0'));
  return `sha256:${hex.join('')}`;
}
