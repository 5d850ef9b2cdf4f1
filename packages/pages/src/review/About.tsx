import type { DecisionRequest } from '@countersign/protocol';

import { PersonName } from '../history/PersonName.js';
import { personIn } from '../history/history.js';
import { Digest } from '../parts/Digest.js';
import type { Fact } from '../parts/Facts.js';
import { Facts } from '../parts/Facts.js';
import { review } from '../strings/review.js';
import { SafeText } from '../text/SafeText.js';
import { Moment } from '../time/Moment.js';
import type { Shown } from './Head.js';

function Name({ text }: { text: string }) {
  return (
    <strong>
      <SafeText text={text} />
    </strong>
  );
}

/** The members that the request binds, in full; the long identifiers on demand. */
export function About({ status, history }: Shown) {
  const { request, request_digest, decision_state } = status;
  const pending = decision_state === 'pending';
  const { execution } = request;
  const facts: Fact[] = [
    [review.askedBy, <PersonName of={personIn(history, request.producer)} />],
    [review.requester, <PersonName of={personIn(history, request.requester.subject)} />],
    [
      review.route,
      <>
        <Name text={request.route} />, {review.routeRevision(request.authorisation_revision)}
      </>,
    ],
    [review.received, <Moment at={request.accepted_at} />],
    // A deadline counts down only while there is something to decide.
    [
      pending ? review.deadline : review.deadlineWas,
      <Moment at={request.review_deadline} as={pending ? 'deadline' : 'none'} />,
    ],
  ];
  if (execution) {
    facts.push(
      [review.action, <Code text={execution.action_occurrence_id} />],
      [review.mode, review.modes[execution.mode] ?? execution.mode],
      [
        review.policy,
        <>
          <Code text={execution.policy.source} />, {review.policyRevision}{' '}
          <Code text={execution.policy.revision} />
        </>,
      ],
      [review.validUntil, <Moment at={execution.valid_until} />],
      [review.runsFor, review.seconds(execution.execution_seconds)],
    );
  }
  return (
    <section class="card about-card" aria-labelledby="about">
      <h2 id="about">{review.details}</h2>
      <div class="band">
        <Facts facts={facts} />
      </div>
      <details class="more">
        <summary>{review.technical}</summary>
        <Facts facts={technical(request, request_digest)} />
      </details>
    </section>
  );
}

function technical(request: DecisionRequest, digest: string): Fact[] {
  const { review: binding, execution } = request;
  const facts: Fact[] = [
    [review.requestId, <Digest value={request.id} />],
    [review.requestDigest, <Digest value={digest} />],
    [
      review.artefact,
      <>
        <Digest value={binding.artefact_digest} />
        <br />
        <SafeText text={review.digestRules(binding.representation, binding.digest_rules)} />
      </>,
    ],
    [review.responseSchema, <Digest value={binding.response_schema_digest} />],
  ];
  if (execution) {
    facts.push(
      [`${review.policy} ${review.digest}`, <Digest value={execution.policy.digest} />],
      [`proposal_digest`, <Digest value={execution.proposal_digest} />],
      [`context_digest`, <Digest value={execution.context_digest} />],
      [`provenance`, <Code text={JSON.stringify(execution.provenance)} />],
    );
    if (execution.recovery_of !== undefined) {
      facts.push([`recovery_of`, <Code text={execution.recovery_of} />]);
    }
  }
  if (request.supersedes !== undefined) {
    facts.push([
      review.supersedes,
      <a href={`/review/${encodeURIComponent(request.supersedes)}`}>{request.supersedes}</a>,
    ]);
  }
  const { metadata } = request;
  if (Object.keys(metadata).length > 0) {
    facts.push([review.metadata, <Code text={JSON.stringify(metadata)} />]);
  }
  return facts;
}

function Code({ text }: { text: string }) {
  return (
    <code>
      <SafeText text={text} limit={2_000} />
    </code>
  );
}
