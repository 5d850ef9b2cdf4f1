import { valueDigest } from '../json/canonical.js';
import type { Evidence, ExtendedEvidence } from '../records/index.js';
import { chainHeadOrNull } from '../signing/chain.js';
import type { VerifierContext } from './context.js';
import { checkLog } from './evidence-log.js';
import { checkExport } from './export.js';
import { newFindings } from './findings.js';
import { plainText } from './plain-text.js';

const EXPORT = '/export';

/** The evidence of a request (protocol §3.6 Evidence): its export, and what vouches for the ledger that it came from. */
export function checkEvidence(
  context: VerifierContext,
  document: Evidence | ExtendedEvidence,
): void {
  checkManifest(context, document);
  const { export: exported, remains } = document;
  const { findings } = context;
  const isWhole = (exported === null) === (remains !== undefined);
  if (!isWhole) {
    const detail = 'It holds an export and what remains of one, or neither.';
    findings.check('document_shape', '', false, { detail });
    return;
  }
  if (exported === null) return checkRemains(context, document);
  const log = checkLog(context, document, exported.audit, exported.anchor);
  // The verifier of an export names places within it.
  const inner = newFindings();
  checkExport({ ...context, findings: inner, log }, exported);
  const within = <Part extends { readonly path: string }>(part: Part): Part => ({
    ...part,
    path: `${EXPORT}${part.path}`,
  });
  findings.checks.push(...inner.checks.map(within));
  findings.gone.push(...inner.gone.map(within));
  findings.uncovered.push(...inner.uncovered.map(within));
  findings.timeline.push(...inner.timeline.map(within));
}

/** The manifest inside is convenience: it counts only when it is the one that the reader trusts. */
function checkManifest({ findings, trust }: VerifierContext, { trust: inside }: Evidence): void {
  const fingerprint = valueDigest(inside);
  if (fingerprint === trust.fingerprint) {
    findings.check('manifest_inside', '/trust', true);
    return;
  }
  findings.unknown('manifest_inside', '/trust', {
    says: `The manifest in the file (${fingerprint}) differs from yours (${trust.fingerprint}) and was not used.`,
    decisive: false,
  });
  findings.uncovered.push({
    path: '/trust',
    says: 'It differs from your manifest and was not used.',
  });
}

/** A request that was deleted at its audit expiry: its digests keep their places in the ledger (protocol §11.3). */
function checkRemains(context: VerifierContext, document: Evidence | ExtendedEvidence): void {
  const { findings } = context;
  const entries = document.remains ?? [];
  checkLog(context, document, entries, null);
  findings.gone.push({
    path: EXPORT,
    says: `The request was deleted at the end of its audit period: its records, its material and its decision are gone. What remains are the digests of its ${entries.length} records at their places in the ledger; with a copy of a record you can show that it was there.`,
  });
  for (const [at, entry] of entries.entries()) {
    const path = `/remains/${at}`;
    const sequence = /^[1-9]\d*$/.test(entry.sequence) ? Number(entry.sequence) : Number.NaN;
    const head = chainHeadOrNull(entry.previous_head, entry.record_digest, sequence);
    findings.check('ledger_entry', path, head === entry.head && entry.record === null, {
      ...(entry.record === null
        ? {}
        : { detail: 'Its text is there although the request is not.' }),
    });
    const before = entries[at - 1];
    if (before !== undefined) {
      findings.check('ledger_order', path, sequence > Number(before.sequence));
    }
  }
  const numbers = entries.slice(0, 8).map(({ sequence }) => plainText(sequence));
  findings.unknown('ledger_records', '/remains', {
    says: `The texts of the entries ${numbers.join(', ')}${entries.length > numbers.length ? ', …' : ''} are gone; their digests stay in the chain.`,
    decisive: false,
  });
}
