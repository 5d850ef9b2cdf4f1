import { canonicalText, textDigest } from '../json/canonical.js';
import type { JsonObject } from '../json/value.js';
import { chainHead } from '../signing/chain.js';
import type { ChainPoint } from '../signing/chain.js';

/** The content of an entry; the chain is over {@link securityEntryText}. */
export interface SecurityEvent {
  readonly tenant: string;
  /** One of `SECURITY_KINDS`; a newer service may know more. */
  readonly kind: string;
  /** The source that vouches for it: the service that inserted it, or `command`. */
  readonly source: string;
  /** The actor; null when that is not known. */
  readonly actor: { readonly id: string; readonly kind: string } | null;
  /** Id of the principal, route or key that it is about. */
  readonly subject: string | null;
  readonly request_id: string | null;
  /** Facts of the kind: names, counts and digests, never private material and never a value of a configuration. */
  readonly detail: JsonObject;
  /** Time of the event by the database's clock, ISO 8601 with milliseconds. */
  readonly time: string;
}

/** An entry of the chain as it is read and verified. */
export interface SecurityEntry {
  readonly sequence: number;
  /** Empty for entry 1. */
  readonly previous_head: string;
  readonly head: string;
  /** Canonical JSON of a {@link SecurityEvent}. */
  readonly entry: string;
}

export function securityEntryText(event: SecurityEvent): string {
  return canonicalText(event);
}

/** Continues the chain by one event, with the ledger's formula (protocol §4.1) over the digest of the entry's text. */
export function chainSecurityEvent(after: ChainPoint, event: SecurityEvent): SecurityEntry {
  const entry = securityEntryText(event);
  const sequence = after.sequence + 1;
  const head = chainHead(after.head, textDigest(entry), sequence);
  return { sequence, previous_head: after.head, head, entry };
}
