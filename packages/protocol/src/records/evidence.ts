import { Type } from '@sinclair/typebox';
import type { Static } from '@sinclair/typebox';
import { AuditExport } from './audit.js';
import { TrustManifest } from './discovery.js';
import { named, nullable } from './primitives.js';

/** The format of the document; another format gets another value. */
export const EVIDENCE_FORMAT = 'countersign-evidence-1';

/** The largest proof: nodes of 64 entries far apart in the largest tree are a tenth of it. */
const MOST_NODES = 8_000_000;

export const EvidenceLog = named('EvidenceLog', {
  checkpoint: Type.String(),
  opening: nullable(Type.String()),
  nodes: Type.String({ pattern: '^[A-Za-z0-9+/]*={0,2}$', maxLength: MOST_NODES }),
});
export type EvidenceLog = Static<typeof EvidenceLog>;

export const Evidence = named('Evidence', {
  evidence: Type.Literal(EVIDENCE_FORMAT),
  export: nullable(AuditExport),
  /** Once the request is deleted: the entries that the ledger keeps of it (protocol §11.3). */
  remains: Type.Optional(AuditExport.properties.audit),
  log: EvidenceLog,
  trust: TrustManifest,
});
export type Evidence = Static<typeof Evidence>;
