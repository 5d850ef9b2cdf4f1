import type { RequestHistory, RequestStatus } from '@countersign/protocol';

import { PersonName } from '../history/PersonName.js';
import { personIn } from '../history/history.js';
import { Chip } from '../parts/Chip.js';
import { review } from '../strings/review.js';
import { decisionNames, decisionWords, executionWords } from '../strings/states.js';
import { Pieces, SafeText } from '../text/SafeText.js';
import { Moment } from '../time/Moment.js';

export interface Shown {
  readonly status: RequestStatus;
  /** Has the names of people. */
  readonly history: RequestHistory;
}

/** The producer, the summary and the deadline: the head of the page. */
export function Head({ status, history }: Shown) {
  const { request, decision_state, execution_state, receipt } = status;
  const executes = request.purpose === 'authorise_execution';
  const state = decisionWords[decision_state];
  const decision = (receipt?.payload as { decision?: string } | undefined)?.decision;
  const named = decision === undefined ? undefined : decisionNames[decision];
  return (
    <header class="head">
      <p class="row">
        <Chip tone={named?.tone ?? state.tone}>{named?.doing ?? state.word}</Chip>
        <Chip tone="neutral">{executes ? review.purposeExecution : review.purposeReview}</Chip>
        <Chip tone="neutral">
          <Pieces
            text={`${request.route} · ${review.routeRevision(request.authorisation_revision)}`}
          />
        </Chip>
        {request.execution && (
          <Chip tone="neutral">{review.runs(request.execution.execution_seconds)}</Chip>
        )}
        {executes && decision_state === 'confirmed' && decision === 'authorise' && (
          <Chip tone={executionWords[execution_state].tone}>
            {executionWords[execution_state].word}
          </Chip>
        )}
      </p>
      <h1>
        <SafeText text={request.summary} />
      </h1>
      <p class="lead">
        <PersonName of={personIn(history, request.producer)} /> {review.asks}, {review.onBehalf}{' '}
        <PersonName of={personIn(history, request.requester.subject)} />
        {decision_state === 'pending' && (
          <>
            {' · '}
            <Moment at={request.review_deadline} as="deadline" />
          </>
        )}
      </p>
      {decision_state === 'pending' && (
        <a class="to-decision no-print" href="#decide">
          {review.toDecision}
        </a>
      )}
    </header>
  );
}
