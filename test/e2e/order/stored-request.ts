import { randomUUID } from 'node:crypto';
import type { Tampering } from '../../support/tampering.js';
import type { Draft, RefusalCase } from './refusal-order.js';

/** VIS of protocol §6.4: a call about another request, which does not exist. */
export function visibilityCase(draft: Draft): RefusalCase {
  return {
    answer: '404 not_found',
    apply: () => (draft.path = draft.path.replace(/[0-9a-f-]{36}/, randomUUID())),
  };
}

/** INT of protocol §6.4 on a stored request. */
export function integrityCases(tampering: Tampering, id: string): RefusalCase[] {
  const damage = (path: readonly string[], value: unknown) => () =>
    tampering.damageRequest(id, path, value);
  return [
    { answer: '409 unsupported_revision', apply: damage(['protocol_revision'], '1.0.0') },
    { answer: '409 unsupported_profile', apply: damage(['profiles'], { 'proto.retired': '1' }) },
    {
      answer: '409 agent_ui_profile_required',
      apply: async () => {
        await tampering.damageRequest(id, ['review', 'bundle'], {});
        await tampering.damageRequest(id, ['profiles'], {});
      },
    },
    { answer: '409 material_integrity_mismatch', apply: damage(['summary'], 'Another summary') },
  ];
}

/** ELIG of protocol §6.4 without INT, of a reviewer who decides or who decided. */
export function eligibilityCases(
  tampering: Tampering,
  reviewerId: string,
  { route, ownerId }: { route: string; ownerId: string },
): RefusalCase[] {
  return [
    {
      answer: '503 identity_uncertain',
      apply: () => tampering.principal(reviewerId, { config: { identity_certain: false } }),
    },
    { answer: '409 reviewer_ineligible', apply: () => tampering.routeRevision(route) },
    {
      answer: '503 requester_identity_uncertain',
      apply: () => tampering.principal(ownerId, { config: { identity_certain: false } }),
    },
    {
      answer: '403 separation_of_duties',
      // Two principals, one person (R22).
      apply: () =>
        tampering.run(
          `WITH o AS (UPDATE principal p SET oidc_issuer = r.oidc_issuer, oidc_subject = r.oidc_subject
             FROM principal r WHERE p.tenant = $1 AND p.id = $3 AND r.tenant = $1 AND r.id = $2)
           UPDATE tenant SET directory_revision = directory_revision + 1 WHERE tenant = $1`,
          reviewerId,
          ownerId,
        ),
    },
  ];
}
