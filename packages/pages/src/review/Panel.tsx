import type { DecisionRequest, RequestHistory } from '@countersign/protocol';
import type { ComponentChildren, RefObject } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';

import { Fields } from '../answer/Answer.js';
import { PersonName } from '../history/PersonName.js';
import { personIn } from '../history/history.js';
import { loginAddress } from '../session/return.js';
import { Button, LinkButton } from '../parts/Button.js';
import { Digest } from '../parts/Digest.js';
import type { Fact } from '../parts/Facts.js';
import { Facts } from '../parts/Facts.js';
import { Fault, Notice } from '../parts/Notice.js';
import { review } from '../strings/review.js';
import { signing } from '../strings/signing.js';
import { decisionNames } from '../strings/states.js';
import { Pieces, SafeText } from '../text/SafeText.js';
import { Moment } from '../time/Moment.js';
import './panel.css';
import type { Frozen, ProposalSlot, ProposalSource, SlotState } from './proposal-slot.js';

type Shown = Extract<SlotState, { step: 'reviewing' | 'confirming' }> & {
  /** A person's key is asked, and the person can leave that. */
  readonly signing?: boolean;
};

/** The words of an act that signs the candidate: a confirmation, or a vote. */
export interface PanelWords {
  readonly youDo: Readonly<Record<string, string>>;
  readonly panelTitle: string;
  readonly panelLead: string;
  readonly panelAnswer: string;
  readonly panelRead: string;
  readonly panelUnread: string;
  readonly confirm: string;
  readonly confirming: string;
  readonly dismiss: string;
  readonly unsure: string;
  /** While a person's key is asked, and to leave that. */
  readonly askingKey?: string;
  readonly stop?: string;
}

/**
 * The trusted panel (protocol §12.6): the complete frozen candidate, its digest and where it came from. Two acts of a
 * person confirm it, the second of them on a button that nothing focuses beforehand. One panel shows one candidate.
 */
export function Panel(props: {
  readonly slot: Pick<ProposalSlot, 'askAgain' | 'confirm' | 'dismiss'>;
  readonly state: Shown;
  readonly request: DecisionRequest;
  readonly schema: unknown;
  /** Has the names of people. */
  readonly history: RequestHistory;
  readonly words?: PanelWords;
  /** Said beside a digest that the service had promised beforehand. */
  readonly promised?: string;
  /** What it takes to sign, above the buttons. */
  readonly children?: ComponentChildren;
  /** Says a fault in other words than everywhere. */
  readonly explain?: (fault: unknown) => ComponentChildren;
}) {
  const { slot, state, request, schema, history, promised, explain } = props;
  const words: PanelWords = props.words ?? signing;
  const [read, setRead] = useState(false);
  const [refused, setRefused] = useState(false);
  const title = useRef<HTMLHeadingElement>(null);
  const answer = useRef<HTMLDivElement>(null);
  const bar = useRef<HTMLDivElement>(null);
  const seen = useSeenToTheEnd(answer, bar);
  const { frozen } = state;
  const confirming = state.step === 'confirming';
  const unsure = confirming && state.repeats > 0;
  const asksKey = confirming && state.signing === true;
  const asksAgain = document.body.dataset['stepUp'] === 'true';

  // Before a key can be pressed that is meant for the panel.
  useLayoutEffect(() => {
    // Where reading begins. Enter does nothing on a heading.
    title.current?.focus();
    title.current?.scrollIntoView({ block: 'start' });
  }, []);

  return (
    <section class="card panel" aria-labelledby="panel-title">
      <h2 id="panel-title" ref={title} tabIndex={-1}>
        {words.panelTitle}
      </h2>
      <Sentence
        request={request}
        history={history}
        decision={frozen.candidate.decision}
        youDo={words.youDo}
      />
      <p class="fine">{words.panelLead}</p>
      <div class="answered" ref={answer}>
        <h3>{words.panelAnswer}</h3>
        <Fields response={frozen.candidate.response} schema={schema} whole />
      </div>
      <Candidate frozen={frozen} promised={promised} />
      {state.step === 'reviewing' && state.freshLogin && (
        <StepUp candidate={frozen.candidate.id} route={request.route} />
      )}
      {state.step === 'reviewing' && !state.freshLogin && asksAgain && (
        <p class="fine spaced">{signing.stepUpAhead}</p>
      )}
      <div class="panel-bar" ref={bar}>
        {props.children}
        {state.step === 'reviewing' &&
          state.fault !== null &&
          (explain?.(state.fault) ?? <Fault fault={state.fault} />)}
        {unsure && (
          <Notice tone="warning" title={signing.unsureTitle}>
            <p>{words.unsure}</p>
            <p class="fine">{signing.unsureOver(state.repeats)}</p>
            <Button onClick={() => slot.askAgain()}>{signing.askAgain}</Button>
          </Notice>
        )}
        <label class="option read">
          <input
            type="checkbox"
            checked={read}
            disabled={confirming || !seen}
            aria-describedby={seen ? undefined : 'panel-unread'}
            onChange={(event) => setRead(event.currentTarget.checked)}
          />
          <span>
            {words.panelRead}
            {!seen && (
              <span class="fine panel-unread" id="panel-unread">
                {words.panelUnread}
              </span>
            )}
          </span>
        </label>
        {refused && (
          <p class="fault" role="alert">
            {signing.needsActivation}
          </p>
        )}
        <div class="row">
          <Button
            look="primary"
            disabled={!read || confirming}
            busy={confirming}
            onClick={(event) => setRefused(!slot.confirm(event))}
          >
            {asksKey ? words.askingKey : confirming ? words.confirming : words.confirm}
          </Button>
          <Button
            disabled={confirming && !asksKey}
            onClick={(event) => setRefused(!slot.dismiss(event))}
          >
            {asksKey ? words.stop : words.dismiss}
          </Button>
        </div>
      </div>
    </section>
  );
}

/** Whether the end of the answer has been in view, above the bar with the tick, which covers what is below it. */
function useSeenToTheEnd(
  answer: RefObject<HTMLElement | null>,
  bar: RefObject<HTMLElement | null>,
): boolean {
  const [seen, setSeen] = useState(false);
  useEffect(() => {
    const [read, below] = [answer.current, bar.current];
    if (seen || !read || !below) return;
    const look = () => {
      const { bottom } = read.getBoundingClientRect();
      const limit = Math.min(below.getBoundingClientRect().top, window.innerHeight);
      // Half a pixel is lost in rounding; a height of nothing is a panel that is not drawn.
      if (read.offsetHeight > 0 && bottom > 0 && bottom <= limit + 0.5) setSeen(true);
    };
    look();
    // Also of the column that scrolls by itself, whose events do not bubble.
    const options = { capture: true, passive: true };
    document.addEventListener('scroll', look, options);
    const sizes = new ResizeObserver(look);
    for (const each of [read, below, document.documentElement]) sizes.observe(each);
    return () => {
      document.removeEventListener('scroll', look, options);
      sizes.disconnect();
    };
  }, [seen]);
  return seen;
}

const STEPPED = 'countersign.stepped';

/** The way to a fresh login and back. A person who comes back without one is asked to tell an operator. */
function StepUp({ candidate, route }: { candidate: string; route: string }) {
  const inVain = sessionStorage.getItem(STEPPED) === candidate;
  return (
    <Notice tone="warning" title={signing.stepUpTitle}>
      <p>{inVain ? signing.stepUpStill : signing.stepUp}</p>
      <LinkButton
        look="primary"
        href={`${loginAddress()}&step_up=${encodeURIComponent(route)}`}
        onClick={() => sessionStorage.setItem(STEPPED, candidate)}
      >
        {signing.stepUpGo}
      </LinkButton>
    </Notice>
  );
}

/** What is signed, for whom, where, how often and until when: out of the request whose digest the candidate has. */
function Sentence(props: {
  readonly request: DecisionRequest;
  readonly history: RequestHistory;
  readonly decision: string;
  readonly youDo: PanelWords['youDo'];
}) {
  const { request, history, decision, youDo } = props;
  const { summary, producer, requester, route, execution } = request;
  return (
    <p class="sentence">
      <strong class={`decision ${decision}`}>{youDo[decision] ?? decision}</strong>{' '}
      {signing.quotes[0]}
      <SafeText text={summary} />
      {signing.quotes[1]}
      {signing.youAskedBy} <PersonName of={personIn(history, producer)} /> {review.onBehalf}{' '}
      <PersonName of={personIn(history, requester.subject)} />
      {signing.youOnRoute}{' '}
      <strong>
        <SafeText text={route} />
      </strong>
      {execution && decision === 'authorise' ? (
        <>
          {signing.youOnce} <Moment at={execution.valid_until} as="none" />.
        </>
      ) : execution ? (
        signing.youNothing
      ) : (
        '.'
      )}
    </p>
  );
}

/** Everything that a signature would cover. */
function Candidate({ frozen, promised }: { frozen: Frozen; promised: string | undefined }) {
  const { candidate, digest, source } = frozen;
  const facts: readonly Fact[] = [
    [
      signing.panelDecision,
      <strong class={`decision ${candidate.decision}`}>
        {decisionNames[candidate.decision]?.word ?? candidate.decision}
      </strong>,
    ],
    [signing.panelSource, <Source source={source} />],
    [
      review.panelCandidateDigest,
      <>
        <Digest value={digest} /> {promised !== undefined && <span class="fine">{promised}</span>}
      </>,
    ],
    [review.panelResponseDigest, <Digest value={candidate.response_digest} />],
  ];
  return (
    <>
      <h3 class="spaced">{signing.panelProof}</h3>
      <Facts facts={facts} />
      <h3 class="spaced">{review.panelResponse}</h3>
      <pre class="frozen" tabIndex={0} role="region" aria-label={review.panelResponse}>
        <Pieces text={JSON.stringify(candidate.response, null, 2)} />
      </pre>
      <details class="more" open>
        <summary>{signing.panelWhole}</summary>
        <Facts
          facts={[
            ['id', <code>{candidate.id}</code>],
            ['request_id', <code>{candidate.request_id}</code>],
            ['request_digest', <code>{candidate.request_digest}</code>],
            [
              'reviewer',
              <code>
                <SafeText text={candidate.reviewer} />
              </code>,
            ],
            ['revision', String(candidate.revision)],
            ['decision', <code>{candidate.decision}</code>],
            ['response_digest', <code>{candidate.response_digest}</code>],
            ['created_at', <Moment at={candidate.created_at} />],
          ]}
        />
        <h3 class="spaced">{signing.panelCanonical}</h3>
        <pre tabIndex={0} role="region" aria-label={signing.panelCanonical}>
          <Pieces text={candidate.response_canonical} />
        </pre>
      </details>
    </>
  );
}

function Source({ source }: { source: ProposalSource }) {
  if (source.kind === 'form') return <>{signing.sourceForm}</>;
  if (source.kind === 'earlier') return <>{signing.sourceEarlier}</>;
  if (source.kind === 'colleague') return <PersonName of={source.author} />;
  return (
    <>
      {signing.sourceApp(source.publisher)}
      <br />
      <code>{source.bundle}</code> <code>{source.digest}</code>
    </>
  );
}
