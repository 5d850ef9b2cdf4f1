import { createHash, randomUUID, sign } from 'node:crypto';
import type { KeyObject } from 'node:crypto';

/** A stored text, and its digest. */
export interface Kept {
  readonly id: string;
  readonly digest: string;
  readonly text: string;
}

/** The header of a record of the request. */
export interface About {
  readonly tenant: string;
  readonly owner: string;
  readonly requestId: string;
  readonly origin: string;
}

export function digestOf(text: string): string {
  return `sha256:${createHash('sha256').update(text).digest('hex')}`;
}

/** The one signature of a step: Ed25519 over the text so far, `{…` without its end, of which it becomes the last member. */
export function withSignature(key: KeyObject, open: string): string {
  const signature = sign(null, Buffer.from(`${open}}`), key).toString('base64url');
  return `${open},"signature":"${signature}"}`;
}

/** A signed record with a new id. */
export function signed(
  key: KeyObject,
  type: string,
  about: About,
  payload: object,
  at: string,
): Kept {
  const header = JSON.stringify(headerOf(type, about, at));
  const open = `{"payload":${JSON.stringify(payload)},"protected":${header}`;
  return kept(randomUUID(), withSignature(key, open));
}

const NO_SIGNATURE = 'A'.repeat(86);

/** The text of an event, whose members and size are those of a signed one. */
export function eventOf(about: About, revision: number, reason: string, at: string): Kept {
  const id = randomUUID();
  const payload = eventPayload(id, about, revision, reason, at);
  const header = headerOf('RequestChangedEvent', about, at);
  return kept(
    id,
    `{"payload":${JSON.stringify(payload)},"protected":${JSON.stringify(header)},"signature":"${NO_SIGNATURE}"}`,
  );
}

export function eventPayload(
  id: string,
  about: About,
  revision: number,
  reason: string,
  at: string,
) {
  return {
    deadline: at,
    event_id: id,
    reason,
    request_id: about.requestId,
    revision,
    state: 'confirmed',
    status_ref: `${about.origin}/v2/requests/${about.requestId}`,
    type: 'proto.request.changed',
  };
}

export function kept(id: string, text: string): Kept {
  return { id, digest: digestOf(text), text };
}

function headerOf(type: string, { tenant, owner, origin }: About, at: string) {
  return {
    audience: owner,
    issued_at: at,
    issuer: origin,
    key_id: 'yardstick-1',
    profiles: { 'proto.execution': '1-draft.1' },
    protocol_revision: '2.0.0-draft.3',
    purpose: 'authorise_execution',
    tenant,
    type,
  };
}
