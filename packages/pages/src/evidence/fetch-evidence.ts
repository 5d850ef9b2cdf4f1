import { isRefusal, readAsText } from '../api/client.js';

const PATIENCE_MS = 60_000;

/** The evidence of a request as JSON text; waits while the ledger's tree has not reached its last entry. */
export async function fetchEvidence(id: string, waiting: () => void): Promise<string> {
  const until = performance.now() + PATIENCE_MS;
  for (;;) {
    try {
      return await readAsText(`/v2/requests/${encodeURIComponent(id)}/evidence`);
    } catch (fault) {
      if (!isRefusal(fault, 'evidence_incomplete') || performance.now() > until) throw fault;
      waiting();
      const seconds = fault.retryAfter ?? 1;
      await new Promise((again) => setTimeout(again, seconds * 1000));
    }
  }
}

/** The empty page around evidence, of which this service is the origin. */
export function fetchPage(): Promise<string> {
  return readAsText('/verify/evidence');
}
