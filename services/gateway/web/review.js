import { canonical, digest, newKey, read, send, whoAmI } from './api.js';
import { flatFields, showFields } from './response-form.js';
import { byId, element, explain, facts, moment, notice } from './view.js';

const id = location.pathname.slice('/review/'.length);
const path = `/v2/requests/${id}`;
const decisions = {
  review: ['answer', 'approve', 'reject'],
  authorise_execution: ['refuse', 'authorise'],
};

async function checked(text, expected) {
  return (await digest(text)) === expected ? `${expected} ✓` : `${expected} – DOES NOT MATCH`;
}

function showRequest({
  request,
  request_digest,
  decision_state,
  audit_state,
  grant_state,
  execution_state,
}) {
  byId('summary').textContent = request.summary;
  const rows = [
    ['Asked by', `${request.requester.subject} (through ${request.producer})`],
    ['Route', `${request.route}, revision ${request.authorisation_revision}`],
    ['Purpose', request.purpose],
    ['Deadline', moment(request.review_deadline)],
    ['State', `${decision_state} · ${audit_state} · ${grant_state} · ${execution_state}`],
    ['Request digest', request_digest],
  ];
  if (request.execution) {
    const { action_occurrence_id, mode, policy, valid_until } = request.execution;
    rows.push(
      ['Action', action_occurrence_id],
      ['Mode', mode],
      ['Policy', `${policy.source} ${policy.revision}`],
      ['Valid until', moment(valid_until)],
    );
  }
  facts(byId('facts'), rows);
  byId('request').hidden = false;
}

async function showMaterial({ request, review_document, payload }) {
  byId('document').textContent = review_document;
  byId('payload').textContent = JSON.stringify(payload, null, 2);
  byId('document-digest').textContent = await checked(
    review_document,
    request.review.document_digest,
  );
  byId('payload-digest').textContent = await checked(
    canonical(payload),
    request.review.payload_digest,
  );
}

function showForm({ request, response_schema }) {
  const names = decisions[request.purpose];
  names.forEach((name, place) => {
    const input = Object.assign(document.createElement('input'), {
      type: 'radio',
      name: 'decision',
      value: name,
    });
    // An execution is refused unless the reviewer says otherwise; a review has no preselected answer.
    input.checked = request.purpose === 'authorise_execution' && place === 0;
    input.required = true;
    const label = element('label');
    label.append(input, ` ${name}`);
    byId('decisions').append(label);
  });
  const fields = flatFields(response_schema);
  const editor = byId('response');
  if (fields) showFields(byId('fields'), fields, editor);
  else editor.value = 'null';
  byId('proposal').hidden = false;
}

async function showCandidate(candidate) {
  const candidateDigest = await digest(canonical(candidate));
  facts(byId('candidate-facts'), [
    ['Decision', candidate.decision],
    ['Candidate digest', candidateDigest],
    ['Response digest', await checked(candidate.response_canonical, candidate.response_digest)],
    ['Revision', String(candidate.revision)],
  ]);
  byId('candidate-response').textContent = candidate.response_canonical;
  byId('candidate').hidden = false;
  byId('proposal').hidden = true;
  byId('candidate').scrollIntoView();

  const key = newKey();
  byId('dismiss').onclick = () => {
    byId('candidate').hidden = true;
    byId('proposal').hidden = false;
  };
  byId('confirm').onclick = async (event) => {
    // Nothing but a person's own click confirms.
    if (!event.isTrusted || window.navigator.userActivation?.isActive === false) return;
    byId('confirm').disabled = true;
    try {
      const confirmation = { candidate_id: candidate.id, candidate_digest: candidateDigest };
      showReceipt(await send(`${path}/confirm`, confirmation, key));
      showRequest(await read(path));
    } catch (error) {
      explain(error);
    } finally {
      byId('confirm').disabled = false;
    }
  };
}

function showReceipt(record) {
  facts(byId('receipt-facts'), [
    ['Decision', record.payload.decision],
    ['Confirmed', moment(record.payload.confirmed_at)],
    ['Signed by', `${record.protected.issuer}, key ${record.protected.key_id}`],
  ]);
  byId('receipt-record').textContent = JSON.stringify(record, null, 2);
  byId('receipt').hidden = false;
  byId('candidate').hidden = true;
  byId('proposal').hidden = true;
  notice('');
}

byId('proposal').addEventListener('submit', async (event) => {
  event.preventDefault();
  notice('');
  try {
    const response = JSON.parse(byId('response').value);
    const decision = new FormData(event.target).get('decision');
    await showCandidate(await send(`${path}/candidates`, { response, decision }, newKey()));
  } catch (error) {
    if (error instanceof SyntaxError) notice('The response is not JSON.');
    else explain(error);
  }
});

async function open() {
  const { subject } = await whoAmI();
  byId('who').textContent = `Signed in as ${subject}`;
  const status = await read(path);
  showRequest(status);
  if (status.receipt) showReceipt(status.receipt);
  const material = await read(`${path}/material`);
  await showMaterial(material);
  if (status.decision_state === 'pending') {
    showForm(material);
    if (material.candidate) await showCandidate(material.candidate);
  }
}

open().catch(explain);
