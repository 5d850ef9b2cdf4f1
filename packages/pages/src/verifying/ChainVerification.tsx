import { useEffect, useRef, useState } from 'preact/hooks';

import { readAsText } from '../api/client.js';
import { Button } from '../parts/Button.js';
import { Digest } from '../parts/Digest.js';
import { Facts } from '../parts/Facts.js';
import { Fault, Notice } from '../parts/Notice.js';
import { chainWords } from '../strings/chain.js';
import type { ChainWords } from '../strings/chain.js';
import { trustWords } from '../strings/trust.js';
import { NOTHING, pause, verifyChain } from './chain-run.js';
import type { Ending, Progress } from './chain-run.js';
import type { ChainAnswer, TrustAnswer } from './messages.js';
import { TrustChoice } from './TrustChoice.js';
import type { ChosenTrust } from './TrustChoice.js';
import { NotVerified, startVerifier } from './verifier.js';
import type { Verifier } from './verifier.js';
import { number } from '../text/locale.js';

interface Underway {
  readonly progress: Progress;
  /** Entries a second since the start. */
  readonly rate: number;
}

/** The chain to verify, and the way to read it. */
export interface Chain {
  readonly words: ChainWords;
  /** Where the page behind an entry is read. */
  readonly address: (after: number) => string;
  /** Which entry the next page comes behind; null when a page is the last one. */
  readonly last: (page: string) => number | null;
  readonly verify: (verifier: Verifier, page: string) => Promise<ChainAnswer>;
}

export interface ChainVerificationProps {
  readonly chain: Chain;
  /** Turns to an entry. */
  readonly show: (entry: number) => void;
  /** A run begins: the results of an earlier one are dropped. */
  readonly onBegin?: () => void;
}

/** A whole chain, verified here. */
export function ChainVerification({ chain, show, onBegin }: ChainVerificationProps) {
  const { words } = chain;
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
    onBegin?.();
    setUnderway({ progress: NOTHING, rate: 0 });
    const verifier = startVerifier();
    const began = performance.now();
    try {
      const manifest = trust?.text ?? (await readAsText('/.well-known/proto-trust'));
      setKeys(await verifier.ask({ ask: 'trust', manifest }));
      await verifier.ask({ ask: 'chain' });
      const ended = await verifyChain({
        pause,
        signal: control.signal,
        page: (after, signal) => readAsText(chain.address(after), { signal }),
        verify: (page) => chain.verify(verifier, page),
        last: chain.last,
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
          {ending === null ? words.verify : chainWords.verifyAgain}
        </Button>
      ) : (
        <Button onClick={() => stop.current?.abort()}>{chainWords.stop}</Button>
      )}
      {underway && (
        <div class="underway">
          <progress aria-label={chainWords.verifying} />
          <p role="status">
            {chainWords.progress(
              number(underway.progress.entries),
              number(Math.round(underway.rate)),
            )}
          </p>
        </div>
      )}
      {ending && (
        <div ref={told} tabIndex={-1} class="ending">
          <Told ending={ending} words={words} show={show} />
          {keys && <p class="fine">{trustWords.of(keys.keys, keys.issuer)}</p>}
        </div>
      )}
    </section>
  );
}

function Told(props: {
  readonly ending: Ending;
  readonly words: ChainWords;
  readonly show: (entry: number) => void;
}) {
  const { ending, words, show } = props;
  const { how, progress } = ending;
  const { entries, signatures } = progress;
  const head = progress.sequence > 0 && (
    <>
      <Facts
        facts={[
          [chainWords.entry, number(progress.sequence)],
          [chainWords.head, <Digest key="" value={progress.head} />],
        ]}
      />
      <p class="fine">{words.headHint}</p>
    </>
  );
  if (how === 'broken') {
    const { fault } = ending;
    return fault instanceof NotVerified ? (
      <Notice tone="bad" title={chainWords.broken}>
        <p>{fault.message}</p>
      </Notice>
    ) : (
      <Fault fault={fault} />
    );
  }
  if (how === 'fails') {
    const { sequence, says } = ending;
    return (
      <Notice tone="bad" title={words.fails}>
        <p>
          {chainWords.failsWhat(number(sequence))} <strong>{says}</strong>
        </p>
        <p>{chainWords.failsNext}</p>
        <Button onClick={() => show(sequence)}>{chainWords.showEntry(number(sequence))}</Button>
      </Notice>
    );
  }
  if (how === 'stopped') {
    return (
      <Notice tone="info" title={chainWords.stopped}>
        <p>{chainWords.stoppedWhat(number(entries))}</p>
      </Notice>
    );
  }
  if (entries === 0) return <p>{words.empty}</p>;
  const beside = words.beside(entries, signatures);
  return (
    <>
      <Notice tone="good" title={words.holds}>
        <p>{words.holdsWhat(number(entries), number(signatures))}</p>
        {beside !== null && <p>{beside}</p>}
      </Notice>
      {head}
    </>
  );
}
