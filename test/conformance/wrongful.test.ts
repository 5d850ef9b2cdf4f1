import { loadTrust, verifyDocument } from '@countersign/protocol';
import { trustManifest } from './evidence/keys.js';
import { copiesIn } from './evidence/store.js';
import { buildEvidence } from './evidence/build-evidence.js';
import { WRONG_EVENTS } from './evidence/wrong-events.js';
import { WRONG_RECORDS } from './evidence/wrong-records.js';

const trust = loadTrust(trustManifest());

describe('an export of a service that signs forbidden content', () => {
  it.each([...WRONG_RECORDS, ...WRONG_EVENTS])('fails by %s: %s', (code, _, scenario) => {
    const { document, ledger } = buildEvidence(scenario);
    const copies = copiesIn(ledger.store);
    const { verdict, checks } = verifyDocument(JSON.stringify(document), trust, { copies });
    expect(verdict).toBe('fails');
    const failed = checks.filter(({ status }) => status === 'fails');
    expect(failed.map((check) => check.code)).toContain(code);
  });
});
