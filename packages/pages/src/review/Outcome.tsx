import type { RequestHistory, RequestStatus, SignedRecord } from '@countersign/protocol';

import { useEffect, useRef } from 'preact/hooks';

import { Answer } from '../answer/Answer.js';
import type { AnswerMaterial } from '../answer/Answer.js';
import { EvidenceButtons } from '../evidence/EvidenceButtons.js';
import { PersonName } from '../history/PersonName.js';
import { nameIn, personIn } from '../history/history.js';
import { Button } from '../parts/Button.js';
import { Chip } from '../parts/Chip.js';
import { Digest } from '../parts/Digest.js';
import type { Fact } from '../parts/Facts.js';
import { Facts } from '../parts/Facts.js';
import { saveJson } from '../parts/save.js';
import { Seal } from '../seal/Seal.js';
import { outcome } from '../strings/outcome.js';
import { review } from '../strings/review.js';
import type { StateWords } from '../strings/states.js';
import {
  auditWords,
  decisionNames,
  decisionWords,
  executionWords,
  grantWords,
} from '../strings/states.js';
import { Pieces, SafeText } from '../text/SafeText.js';
import { Moment } from '../time/Moment.js';
import './outcome.css';

/** The part of a receipt that the page shows. */
interface ReceiptPayload {
  readonly decision: string;
  readonly reviewer: string;
  readonly confirmed_at: string;
  readonly candidate_digest: string;
  readonly response_digest: string;
  readonly grant_deadline?: string;
}

/** The end of a request: the receipt, the next states, and the current one. */
export function Outcome(props: {
  readonly status: RequestStatus;
  readonly stale: boolean;
  /** Null when it is deleted, undefined while it is not known. */
  readonly material: AnswerMaterial | null | undefined;
  /** Who reads: a decision of another person is told as theirs. */
  readonly subject: string;
  readonly history: RequestHistory;
  /** The reader has just come here by confirming: reading goes on at its title. */
  readonly arrive?: boolean;
  /** The receipt is newer than the rest of the status, which therefore proves nothing of it. */
  readonly mixed?: boolean;
  /** Several people decided: the receipt names the person whose vote was the last. */
  readonly several?: boolean;
}) {
  const { status, stale, material, subject, history, arrive = false, mixed = false } = props;
  const { several = false } = props;
  const title = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    if (!arrive) return;
    title.current?.focus({ preventScroll: true });
    title.current?.scrollIntoView({ block: 'center' });
  }, [arrive]);
  const { receipt, decision_state } = status;
  const { id } = status.request;
  const reviewer = (receipt?.payload as unknown as ReceiptPayload | undefined)?.reviewer;
  return (
    <section class="card outcome" aria-labelledby="outcome">
      <h2 id="outcome" ref={title} tabIndex={-1}>
        {receipt === null
          ? decisionWords[decision_state].word
          : several
            ? outcome.decidedBySeveral
            : reviewer === subject
              ? outcome.receipt
              : outcome.decidedByOther}
      </h2>
      {!mixed && <Seal status={status} />}
      {receipt === null ? (
        <p>{decisionWords[decision_state].meaning}</p>
      ) : (
        <Receipt receipt={receipt} material={material} history={history} several={several} />
      )}
      {receipt !== null && (
        <Progress status={status} stale={stale} subject={subject} history={history} />
      )}
      <div class="row no-print">
        {receipt !== null && (
          <Button onClick={() => saveJson(receipt, `receipt-${id}.json`)}>
            {outcome.saveReceipt}
          </Button>
        )}
        <Button look="quiet" onClick={() => window.print()}>
          {outcome.print}
        </Button>
      </div>
      <EvidenceButtons id={id} />
    </section>
  );
}

function Receipt({
  receipt,
  material,
  history,
  several,
}: Pick<Parameters<typeof Outcome>[0], 'material' | 'history'> & {
  receipt: SignedRecord;
  several: boolean;
}) {
  const said = receipt.payload as unknown as ReceiptPayload;
  const { issuer, key_id, issued_at } = receipt.protected;
  const named = decisionNames[said.decision];
  const decided: Fact[] = [
    [review.decision, <Chip tone={named?.tone ?? 'neutral'}>{named?.doing ?? said.decision}</Chip>],
    [
      several ? outcome.lastVoteBy : outcome.decidedBy,
      <PersonName of={personIn(history, said.reviewer)} />,
    ],
    [outcome.decidedAt, <Moment at={said.confirmed_at} />],
  ];
  const proof: Fact[] = [
    [
      outcome.signedBy,
      <>
        <SafeText text={issuer} />, {outcome.key} <code>{key_id}</code>,{' '}
        <Moment at={issued_at} as="none" />
      </>,
    ],
    [review.panelCandidateDigest, <Digest value={said.candidate_digest} />],
    [review.panelResponseDigest, <Digest value={said.response_digest} />],
  ];
  return (
    <>
      <Facts facts={decided} />
      {material !== undefined && <Answer receipt={receipt} material={material} />}
      <Facts facts={proof} />
    </>
  );
}

interface Step {
  readonly title: string;
  readonly words: StateWords;
  readonly until?: string | undefined;
}

/** The further states of the decision, updated with every change. */
function Progress(
  props: Pick<Parameters<typeof Outcome>[0], 'status' | 'stale' | 'subject' | 'history'>,
) {
  const { status, stale, subject, history } = props;
  const { audit_state, grant_state, execution_state, receipt, request } = status;
  const said = receipt?.payload as unknown as ReceiptPayload;
  const authorised = said.decision === 'authorise';
  const steps: Step[] = [{ title: outcome.audit, words: auditWords[audit_state] }];
  if (authorised) {
    const open = grant_state === 'available' || grant_state === 'pending_anchor';
    steps.push(
      {
        title: outcome.grant,
        words: grantWords[grant_state],
        until: open ? said.grant_deadline : undefined,
      },
      { title: outcome.execution, words: executionWords[execution_state] },
    );
  }
  const reported = (status.outcome?.payload as { recorded_at?: string } | undefined)?.recorded_at;
  return (
    <>
      <h3 class="spaced">{outcome.next_}</h3>
      <p>
        {request.purpose === 'review' ? (
          said.reviewer === subject ? (
            outcome.afterReview
          ) : (
            outcome.afterReviewByOther
          )
        ) : authorised ? (
          outcome.afterAuthorise
        ) : said.reviewer === subject ? (
          outcome.afterRefuse
        ) : (
          <Pieces text={outcome.afterRefuseBy(nameIn(history, said.reviewer))} />
        )}
      </p>
      <ol class="progress" aria-live="polite">
        {steps.map(({ title, words, until }) => (
          <li key={title} class={words.tone}>
            <p class="row">
              <strong>{title}</strong>
              <Chip tone={words.tone}>{words.word}</Chip>
            </p>
            <p class="fine">
              {words.meaning}
              {until !== undefined && (
                <>
                  {' '}
                  {outcome.grantUntil}: <Moment at={until} as="deadline" />
                </>
              )}
              {title === outcome.execution && reported !== undefined && (
                <>
                  {' '}
                  {outcome.outcome}: <Moment at={reported} />
                </>
              )}
            </p>
          </li>
        ))}
      </ol>
      <p class="fine no-print">{stale ? outcome.stale : outcome.live}</p>
    </>
  );
}
