import type { Expected, Verdict } from '@countersign/protocol';
import { DOCUMENT_BYTES } from '@countersign/protocol/constants';
import { useEffect, useRef, useState } from 'preact/hooks';

import { readAsText } from '../api/client.js';
import { fetchEvidence } from '../evidence/fetch-evidence.js';
import { sizeInWords } from '../text/size.js';
import { Button, LinkButton } from '../parts/Button.js';
import { Field } from '../parts/Field.js';
import { Fault, Notice } from '../parts/Notice.js';
import { auditor } from '../strings/auditor.js';
import { shared } from '../strings/shared.js';
import type { TrustAnswer } from '../verifying/messages.js';
import { PolicyField } from '../verifying/PolicyField.js';
import { TrustChoice } from '../verifying/TrustChoice.js';
import type { ChosenTrust } from '../verifying/TrustChoice.js';
import { NotVerified, startVerifier } from '../verifying/verifier.js';
import type { Verifier } from '../verifying/verifier.js';
import { DropZone } from './DropZone.js';
import { Findings, Outcome } from './Findings.js';
import { Shown } from './Shown.js';
import { Timeline } from './Timeline.js';

/** A file of evidence, as bytes; nothing of it is read in the page itself. */
export interface Evidence {
  readonly name: string;
  readonly content: Blob;
}

interface Judged {
  readonly evidence: Evidence;
  readonly verdict: Verdict;
  readonly trust: TrustAnswer;
  readonly at: string;
}

const EXPECTED = [
  'tenant',
  'audience',
  'ledgerId',
  'bindingDigest',
  'executionIdentity',
  'nonce',
] as const satisfies readonly (keyof Expected)[];

export function Auditor() {
  const [trust, setTrust] = useState<ChosenTrust | null>(null);
  /** Without members for fields that are empty. */
  const [expected, setExpected] = useState<Expected>({});
  const [policy, setPolicy] = useState('');
  const [evidence, setEvidence] = useState<Evidence | null>(null);
  const [outcome, setOutcome] = useState<Judged | null>(null);
  const [busy, setBusy] = useState(false);
  const [fault, setFault] = useState<unknown>(null);
  const verifier = useRef<Verifier | null>(null);
  // The service's own manifest, read as soon as the page is there, so that it verifies without network later.
  const own = useRef<Promise<string> | null>(null);
  const told = useRef<HTMLDivElement>(null);

  const ownTrust = () => {
    own.current ??= readAsText('/.well-known/proto-trust', { quiet: true });
    own.current.catch(() => (own.current = null));
    return own.current;
  };
  useEffect(() => {
    verifier.current = startVerifier();
    void ownTrust().catch(() => {});
    const request = new URLSearchParams(location.search).get('request');
    if (request !== null) void openRequest(request);
    return () => verifier.current?.close();
  }, []);
  useEffect(() => {
    if (outcome) told.current?.focus();
  }, [outcome]);

  const verify = async (given: Evidence, chosen = trust) => {
    setEvidence(given);
    setBusy(true);
    setFault(null);
    setOutcome(null);
    try {
      if (given.content.size > DOCUMENT_BYTES) {
        throw new NotVerified(auditor.tooLarge(sizeInWords(DOCUMENT_BYTES)));
      }
      const asked = verifier.current as Verifier;
      const manifest = chosen?.text ?? (await ownTrust());
      const keys = await asked.ask({ ask: 'trust', manifest });
      const bytes = new Uint8Array(await given.content.arrayBuffer());
      const now = Date.now();
      const verdict = await asked.ask(
        { ask: 'document', bytes, expected: { ...expected, now }, policy: policy.trim() },
        [bytes.buffer],
      );
      setOutcome({ evidence: given, verdict, trust: keys, at: new Date(now).toISOString() });
    } catch (failed) {
      setFault(failed);
    } finally {
      setBusy(false);
    }
  };

  /** The evidence of a request that this reader may see, straight from the service. */
  async function openRequest(id: string): Promise<void> {
    setBusy(true);
    try {
      const text = await fetchEvidence(id, () => {});
      await verify({ name: auditor.ofRequest(id), content: new Blob([text]) });
    } catch (failed) {
      setFault(failed);
      setBusy(false);
    }
  }

  const choose = (chosen: ChosenTrust | null) => {
    setTrust(chosen);
    // A verdict under other keys is none under these.
    if (evidence) void verify(evidence, chosen);
  };

  return (
    <>
      <h1>{auditor.title}</h1>
      <p class="lead">{auditor.lead}</p>
      <div class="card no-print">
        <DropZone onFile={(file) => void verify({ name: file.name, content: file })} />
        <TrustChoice chosen={trust} disabled={busy} onChange={choose} />
        <details class="know-more">
          <summary>{auditor.knowMore}</summary>
          <p class="hint">{auditor.knowMoreHint}</p>
          <div class="limits">
            {EXPECTED.map((name) => (
              <Field
                key={name}
                label={auditor[name]}
                hint={name === 'audience' ? auditor.audienceHint : undefined}
              >
                {({ id, describedBy }) => (
                  <input
                    id={id}
                    value={expected[name] ?? ''}
                    aria-describedby={describedBy}
                    autoComplete="off"
                    onInput={({ currentTarget }) => {
                      const { [name]: _before, ...others } = expected;
                      const value = currentTarget.value.trim();
                      setExpected(value === '' ? others : { ...others, [name]: value });
                    }}
                  />
                )}
              </Field>
            ))}
          </div>
          <PolicyField value={policy} onChange={setPolicy} />
          {evidence && (
            <Button disabled={busy} onClick={() => void verify(evidence)}>
              {auditor.verifyAgain}
            </Button>
          )}
        </details>
        <h2>{auditor.offline}</h2>
        <p class="fine">{auditor.offlineHint}</p>
        <p class="row offline">
          <LinkButton href="/verify" download="countersign-verify.html">
            {auditor.offlinePage}
          </LinkButton>
          <span class="fine">{auditor.offlinePageHint}</span>
        </p>
      </div>
      {busy && (
        <p class="quiet-text" role="status">
          {outcome === null ? auditor.verifying : shared.loading}
        </p>
      )}
      {fault instanceof NotVerified ? (
        <Notice tone="bad" title={auditor.broken}>
          <p>{fault.message}</p>
        </Notice>
      ) : (
        fault !== null && <Fault fault={fault} />
      )}
      {outcome && (
        <div ref={told} tabIndex={-1} class="outcome">
          <Outcome {...outcome} name={outcome.evidence.name} />
          <Timeline
            key={outcome.at}
            timeline={outcome.verdict.story}
            part={(path) => partOf(verifier.current, path, 200_000)}
          />
          {exportIn(outcome.verdict) !== null && (
            <Shown
              key={outcome.at}
              part={(path, most) =>
                partOf(verifier.current, `${exportIn(outcome.verdict)}${path}`, most)
              }
            />
          )}
          <Findings verdict={outcome.verdict} />
          <p class="no-print">
            <Button onClick={() => print()}>{auditor.print}</Button>
          </p>
        </div>
      )}
    </>
  );
}

/** Where the export is in the document; null without one. */
function exportIn({ kind }: Verdict): string | null {
  if (kind === 'export') return '';
  return kind === 'evidence' ? '/export' : null;
}

function partOf(verifier: Verifier | null, path: string, most: number) {
  return (verifier as Verifier).ask({ ask: 'part', path, most });
}
