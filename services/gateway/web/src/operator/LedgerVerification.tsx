import { useEffect, useRef, useState } from 'preact/hooks';

import { readAsText } from '../api/client.js';
import { Button } from '../parts/Button.js';
import { Digest } from '../parts/Digest.js';
import { Facts } from '../parts/Facts.js';
import { Fault, Notice } from '../parts/Notice.js';
import { operator } from '../strings/operator.js';
import { trustWords } from '../strings/trust.js';
import type { TrustAnswer } from '../verifying/messages.js';
import { TrustChoice } from '../verifying/TrustChoice.js';
import type { ChosenTrust } from '../verifying/TrustChoice.js';
import { NotVerified, startVerifier } from '../verifying/verifier.js';
import { NOTHING, verifyChain } from './ledger-run.js';
import type { Ending, Progress } from './ledger-run.js';

const amount = (value: number) => value.toLocaleString();
const pause = (milliseconds: number) =>
  new Promise<void>((resume) => setTimeout(resume, milliseconds));

interface Underway {
  readonly progress: Progress;
  /** Entries a second since the start. */
  readonly rate: number;
}

/** The whole chain, verified here; `show` turns to an entry. */
export function LedgerVerification({ show }: { show: (entry: number) => void }) {
  const [trust, setTrust] = useState<ChosenTrust | null>(null);
  const [keys, setKeys] = useState<TrustAnswer | null>(null);
  const [underway, setUnderway] = useState<Underway | null>(null);
  const [ending, setEnding] = useState<Ending | null>(null);
  const stop = useRef<AbortController | null>(null);
  const told = useRef<HTMLDivElement>(null);
  useEffect(() => () => stop.current?.abort(), []);
  useEffect(() => {
    if (ending) told.current?.focus();
  }, [ending]);

  const run = async () => {
    const control = new AbortController();
    stop.current = control;
    setEnding(null);
    setKeys(null);
    setUnderway({ progress: NOTHING, rate: 0 });
    const verifier = startVerifier();
    const began = performance.now();
    try {
      const manifest = trust?.text ?? (await readAsText('/.well-known/proto-trust'));
      setKeys(await verifier.ask({ ask: 'trust', manifest }));
      await verifier.ask({ ask: 'chain' });
      const ended = await verifyChain({
        verifier,
        pause,
        signal: control.signal,
        page: (after, signal) => readAsText(`/v2/admin/ledger?after=${after}`, { signal }),
        onProgress: (progress) => {
          const seconds = (performance.now() - began) / 1000;
          setUnderway({ progress, rate: progress.entries / Math.max(seconds, 0.001) });
        },
      });
      setEnding(ended);
    } catch (fault) {
      setEnding({ how: 'broken', progress: NOTHING, fault });
    } finally {
      verifier.close();
      setUnderway(null);
      stop.current = null;
    }
  };

  return (
    <section class="card">
      <TrustChoice chosen={trust} disabled={underway !== null} onChange={setTrust} />
      {underway === null ? (
        <Button look="primary" onClick={() => void run()}>
          {ending === null ? operator.verifyLedger : operator.verifyAgain}
        </Button>
      ) : (
        <Button onClick={() => stop.current?.abort()}>{operator.stop}</Button>
      )}
      {underway && (
        <div class="underway">
          <progress aria-label={operator.verifying} />
          <p role="status">
            {operator.progress(
              amount(underway.progress.entries),
              amount(Math.round(underway.rate)),
            )}
          </p>
        </div>
      )}
      {ending && (
        <div ref={told} tabIndex={-1} class="ending">
          <Told ending={ending} show={show} />
          {keys && <p class="fine">{trustWords.of(keys.keys, keys.issuer)}</p>}
        </div>
      )}
    </section>
  );
}

function Told({ ending, show }: { ending: Ending; show: (entry: number) => void }) {
  const { how, progress } = ending;
  const { entries, records } = progress;
  const head = progress.sequence > 0 && (
    <>
      <Facts
        facts={[
          [operator.entry, amount(progress.sequence)],
          [operator.head, <Digest key="" value={progress.head} />],
        ]}
      />
      <p class="fine">{operator.headHint}</p>
    </>
  );
  if (how === 'broken') {
    const { fault } = ending;
    return fault instanceof NotVerified ? (
      <Notice tone="bad" title={operator.broken}>
        <p>{fault.message}</p>
      </Notice>
    ) : (
      <Fault fault={fault} />
    );
  }
  if (how === 'fails') {
    const { sequence, says } = ending;
    return (
      <Notice tone="bad" title={operator.ledgerFails}>
        <p>
          {operator.ledgerFailsWhat(amount(sequence))} <strong>{says}</strong>
        </p>
        <p>{operator.ledgerFailsNext}</p>
        <Button onClick={() => show(sequence)}>{operator.showEntry(amount(sequence))}</Button>
      </Notice>
    );
  }
  if (how === 'stopped') {
    return (
      <Notice tone="info" title={operator.stopped}>
        <p>{operator.stoppedWhat(amount(entries))}</p>
      </Notice>
    );
  }
  if (entries === 0) return <p>{operator.ledgerEmpty}</p>;
  return (
    <>
      <Notice tone="good" title={operator.ledgerHolds}>
        <p>{operator.ledgerHoldsWhat(amount(entries), amount(records))}</p>
        {records < entries && <p>{operator.textsGone(amount(entries - records))}</p>}
      </Notice>
      {head}
    </>
  );
}
