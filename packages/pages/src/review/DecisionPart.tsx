import type { InboxPerson, RequestHistory, RequestStatus } from '@countersign/protocol';
import { useEffect, useRef } from 'preact/hooks';

import { isRefusal } from '../api/client.js';
import { LinkButton } from '../parts/Button.js';
import { lazily } from '../parts/lazily.js';
import { Notice } from '../parts/Notice.js';
import { reader } from '../session/session.js';
import { review } from '../strings/review.js';
import { Pieces } from '../text/SafeText.js';
import { AnswerForm } from './AnswerForm.js';
import { dropDraft } from './draft-store.js';
import { useOtherReviewers } from './eligible.js';
import type { MaterialState } from './material-state.js';
import { differs } from './material-state.js';
import { NextReview } from './QueueBar.js';
import type { ProposalSlot, SlotState } from './proposal-slot.js';
import type { LiveStatus } from './status.js';
import { Take } from './Take.js';

// None is part of the first view of a review that waits.
const { Component: Panel, load: loadPanel } = lazily(
  async () => (await import('./Panel.js')).Panel,
);
const { Component: Outcome, load: loadOutcome } = lazily(
  async () => (await import('./Outcome.js')).Outcome,
);
const { Component: Meanwhile } = lazily(async () => (await import('./Meanwhile.js')).Meanwhile);

// Of requests that several people decide.
const { Component: SeveralPeople } = lazily(
  async () => (await import('../approval/SeveralPeople.js')).SeveralPeople,
);

export interface DecisionPartProps {
  readonly live: LiveStatus;
  readonly status: RequestStatus;
  readonly material: MaterialState;
  readonly slot: ProposalSlot | null;
  readonly state: SlotState;
  /** The frozen candidate is another one by now. */
  readonly overtaken: boolean;
  readonly history: RequestHistory;
}

/** From the answer to the receipt: the one part of the page where something is decided. */
export function DecisionPart(props: DecisionPartProps) {
  const { live, status, material, slot, state, overtaken, history } = props;
  const { request, decision_state, receipt } = status;
  const subject = reader()?.subject ?? '';
  const stale = live.fault !== null && !isRefusal(live.fault, 'unauthenticated');
  const others = useOtherReviewers(decision_state === 'pending' ? request.route : null);
  const seenPending = useRef(false);
  if (decision_state === 'pending') seenPending.current = true;

  useEffect(() => {
    // A release may come at any time: the code of the receipt has to be here before the signature.
    if (state.step !== 'free') {
      loadPanel();
      loadOutcome();
    }
    if (state.step === 'confirmed') dropDraft(subject, request.id);
  }, [state.step]);

  if (state.step === 'confirmed') {
    return (
      <Confirmed
        status={status}
        state={state}
        stale={stale}
        schema={material.head?.schema}
        history={history}
      />
    );
  }
  const readOnly = others && <ReadOnly id={request.id} route={request.route} reviewers={others} />;
  if ('approval' in request) {
    return (
      <SeveralPeople
        {...{ status, history, material, slot, state, subject, stale }}
        answer={answerMaterial(material)}
        earlier={sameQuestions(request, history)}
        arrive={seenPending.current}
        refresh={live.refresh}
      >
        {readOnly}
      </SeveralPeople>
    );
  }
  if (decision_state !== 'pending' && state.step !== 'confirming') {
    return (
      <>
        {seenPending.current && (
          <Meanwhile
            state={decision_state}
            receipt={receipt}
            subject={subject}
            id={request.id}
            history={history}
            schema={material.head?.schema}
          />
        )}
        <Outcome
          status={status}
          stale={stale}
          subject={subject}
          material={answerMaterial(material)}
          history={history}
        />
      </>
    );
  }
  const { head, store } = material;
  if (!head || !store || !slot || others === undefined) return null;
  if (readOnly !== null) return readOnly;
  if (differs(head)) {
    return (
      <Notice tone="bad" title={review.differsTitle}>
        <p>{review.differs}</p>
      </Notice>
    );
  }
  const at = state.step === 'free' || state.step === 'preparing' ? 0 : 1;
  return (
    <>
      <section class="card decide" aria-labelledby="decide">
        <div class="row apart">
          <h2 id="decide">{review.yourAnswer}</h2>
          <Take id={request.id} />
        </div>
        <Steps at={state.step === 'confirming' ? 2 : at} />
        {overtaken && (
          <Notice tone="warning" title={review.changedTitle}>
            <p>{review.changed}</p>
          </Notice>
        )}
        {state.step === 'free' || state.step === 'preparing' ? (
          <AnswerForm
            request={request}
            schema={head.schema}
            store={store}
            slot={slot}
            state={state}
            subject={subject}
            earlier={sameQuestions(request, history)}
          />
        ) : (
          // Another candidate is another panel: a tick for one never appears beside the next, not for a frame.
          <Panel
            key={state.frozen.digest}
            slot={slot}
            state={state}
            request={head.request}
            schema={head.schema}
            history={history}
          />
        )}
      </section>
    </>
  );
}

/** The id of the request that this one replaces, if it asked the same questions. */
function sameQuestions(
  { review: { response_schema_digest } }: RequestStatus['request'],
  { replaces }: RequestHistory,
): string | null {
  return replaces?.response_schema_digest === response_schema_digest ? replaces.id : null;
}

/** For an operator who is no reviewer of the route: no form, as its answer could not be confirmed. */
function ReadOnly(props: {
  readonly id: string;
  readonly route: string;
  readonly reviewers: readonly InboxPerson[];
}) {
  const { id, route, reviewers } = props;
  return (
    <section class="card decide" aria-labelledby="decide">
      <h2 id="decide">{review.readOnly}</h2>
      <p>
        {reviewers.length === 0 ? (
          <Pieces text={review.noReviewers(route)} />
        ) : (
          <Pieces
            text={review.reviewersOf(route, reviewers.map((one) => one.name ?? one.id).join(', '))}
          />
        )}
      </p>
      <LinkButton href={`/operator/requests/${encodeURIComponent(id)}`}>
        {review.toOperator}
      </LinkButton>
    </section>
  );
}

function answerMaterial({ head, fault }: MaterialState) {
  if (isRefusal(fault, 'material_deleted')) return null;
  return head ? { candidate: head.candidate, schema: head.schema } : undefined;
}

function Steps({ at }: { at: number }) {
  return (
    <ol class="steps" aria-label={review.progress}>
      {review.steps.map((step, place) => (
        <li
          key={step}
          class={place < at ? 'done' : undefined}
          aria-current={place === at ? 'step' : undefined}
        >
          {step}
        </li>
      ))}
    </ol>
  );
}

function Confirmed(props: {
  readonly status: RequestStatus;
  readonly state: Extract<SlotState, { step: 'confirmed' }>;
  readonly stale: boolean;
  readonly schema: unknown;
  readonly history: RequestHistory;
}) {
  const { status, state, stale, schema, history } = props;
  const { reviewer } = state.frozen.candidate;
  const said = state.receipt.payload as { candidate_digest?: unknown };
  if (said.candidate_digest !== state.frozen.digest) {
    return (
      <Notice tone="bad">
        <p>{review.mismatch}</p>
      </Notice>
    );
  }
  return (
    <>
      {state.repeats > 0 && (
        <Notice tone="good">
          <p>{review.happened}</p>
        </Notice>
      )}
      <Outcome
        status={status}
        stale={stale}
        subject={reviewer}
        material={{ candidate: state.frozen.candidate, schema }}
        history={history}
        arrive
        mixed={history.status.receipt === null}
      />
      <NextReview id={status.request.id} />
    </>
  );
}
