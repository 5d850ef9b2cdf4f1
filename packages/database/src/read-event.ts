import type { JsonObject } from '@countersign/protocol';
import { isOperator } from './access.js';
import type { CallerIdentity } from './access.js';
import type { Principal } from './directory.js';
import type { StoredRequest } from './request-row.js';
import type { NewSecurityEvent } from './security-events.js';

/** The entry of the security log about a read of private material: the reader, the reader's role, and the request. */
export function readEvent(
  kind: 'material.read' | 'app.read' | 'export.read',
  caller: CallerIdentity,
  principal: Principal,
  { id, digest, owner }: StoredRequest,
  more: JsonObject = {},
): NewSecurityEvent {
  // Reviewers of the route are all that is left of those who may see it.
  const as = owner === caller.id ? 'owner' : isOperator(principal) ? 'operator' : 'reviewer';
  return {
    tenant: caller.tenant,
    kind,
    actor: { id: caller.id, kind: caller.kind },
    requestId: id,
    detail: { ...more, as, request_digest: digest },
  };
}
