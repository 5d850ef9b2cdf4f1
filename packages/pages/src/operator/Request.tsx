import type {
  AuditExport,
  AdminIncident,
  RequestHistory,
  RequestStatus,
  SignedRecord,
} from '@countersign/protocol';
import { useState } from 'preact/hooks';

import { Answer } from '../answer/Answer.js';
import { signedOf } from '../answer/signed.js';
import { read } from '../api/client.js';
import { approvalOf } from '../approval/frozen-policy.js';
import { EvidenceButtons } from '../evidence/EvidenceButtons.js';
import { personIn, readHistory } from '../history/history.js';
import { PersonName } from '../history/PersonName.js';
import { Timeline } from '../history/Timeline.js';
import { LinkButton } from '../parts/Button.js';
import { Chip } from '../parts/Chip.js';
import { Digest } from '../parts/Digest.js';
import { Facts } from '../parts/Facts.js';
import type { Fact } from '../parts/Facts.js';
import { lazily } from '../parts/lazily.js';
import { Table } from '../parts/Table.js';
import { operator } from '../strings/operator.js';
import { decisionNames } from '../strings/states.js';
import { SafeText } from '../text/SafeText.js';
import { Moment } from '../time/Moment.js';
import { Actions } from './Actions.js';
import { readAdmin } from './data.js';
import { DeliveryError } from './Deliveries.js';
import { Frame } from './Frame.js';
import { IncidentTable } from './Incidents.js';
import { Loaded, useLoading } from './loading.js';
import type { Loading } from './loading.js';
import { principalAddress } from './Principal.js';
import { routeAddress } from './Routes.js';
import { Audit, Decision, Execution, Grant } from './states.js';

const { Component: Board } = lazily(
  async () => (await import('../approval/ReadBoard.js')).ReadBoard,
);
const { Component: Seal } = lazily(async () => (await import('../seal/Seal.js')).Seal);

/** One request as operators see it: its states, history, records, deliveries with their failures, incidents, and actions. */
export function RequestPage({ id }: { id: string }) {
  const [turn, setTurn] = useState(0);
  const path = `/v2/requests/${encodeURIComponent(id)}`;
  const history = useLoading(() => readHistory(id), `${id} ${turn}`);
  const again = () => setTurn(turn + 1);
  const summary = history.value?.status.request.summary;
  return (
    <Frame
      title={operator.request}
      heading={summary === undefined ? operator.request : <SafeText text={summary} limit={300} />}
    >
      <Loaded of={history}>
        {(found) => <Found id={id} path={path} history={found} turn={turn} changed={again} />}
      </Loaded>
    </Frame>
  );
}

function Found(props: {
  readonly id: string;
  readonly path: string;
  readonly history: RequestHistory;
  readonly turn: number;
  readonly changed: () => void;
}) {
  const { id, path, history, turn, changed } = props;
  const { status } = history;
  const exported = useLoading(() => read<AuditExport>(`${path}/export`), `${path} ${turn}`);
  return (
    <>
      {status.decision_state !== 'pending' && <Seal status={status} />}
      <States status={status} />
      {status.receipt && (
        <Decided history={history} receipt={status.receipt} exported={exported.value} />
      )}
      <About history={history} />
      {approvalOf(status.request) !== null && (
        <Board
          status={status}
          history={history}
          schema={exported.value?.material?.response_schema}
        />
      )}
      <Timeline history={history} />
      <Incidents id={id} />
      <Actions status={status} changed={changed} />
      <Records id={id} path={path} exported={exported} />
      <Deliveries status={status} />
    </>
  );
}

/** The person who decided, the decision and the answer, which are in the evidence. */
function Decided(props: {
  readonly history: RequestHistory;
  readonly receipt: SignedRecord;
  readonly exported: AuditExport | null;
}) {
  const { history, receipt, exported } = props;
  const { decision, reviewer } = signedOf(receipt);
  const named = decisionNames[decision];
  const { confirmed_at } = receipt.payload as { confirmed_at: string };
  return (
    <section class="card">
      <h2>{operator.decided}</h2>
      <Facts
        facts={[
          [
            operator.decision,
            <Chip key="" tone={named?.tone ?? 'neutral'}>
              {named?.doing ?? decision}
            </Chip>,
          ],
          [
            operator.decidedBy,
            <a key="" href={principalAddress(reviewer)}>
              <PersonName of={personIn(history, reviewer)} />
            </a>,
          ],
          [operator.decidedAt, <Moment key="" at={confirmed_at} />],
        ]}
      />
      {exported && (
        <Answer
          receipt={receipt}
          material={
            exported.material && {
              candidate: exported.material.candidate,
              schema: exported.material.response_schema,
            }
          }
        />
      )}
    </section>
  );
}

function States({ status }: { status: RequestStatus }) {
  const { decision_state, audit_state, grant_state, execution_state } = status;
  const states: readonly Fact[] = [
    [operator.decision, <Decision key="" state={decision_state} />],
    [operator.audit, <Audit key="" state={audit_state} />],
    [operator.grant, <Grant key="" state={grant_state} />],
    [operator.execution, <Execution key="" state={execution_state} />],
  ];
  return (
    <dl class="card states">
      {states.map(([term, value]) => (
        <div key={term}>
          <dt>{term}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

function About({ history }: { history: RequestHistory }) {
  const { request, request_digest, decision_state } = history.status;
  const { execution } = request;
  const facts: Fact[] = [
    [operator.purpose, operator.purposes[request.purpose]],
    [
      operator.route,
      <a key="" href={routeAddress(request.route)}>
        <SafeText text={request.route} />
      </a>,
    ],
    [
      operator.producer,
      <a key="" href={principalAddress(request.producer)}>
        <PersonName of={history.producer} />
      </a>,
    ],
    [operator.requester, <PersonName key="" of={history.requester} />],
    [operator.accepted, <Moment key="" at={request.accepted_at} />],
    [
      operator.deadline,
      <Moment
        key=""
        at={request.review_deadline}
        as={decision_state === 'pending' ? 'deadline' : 'none'}
      />,
    ],
    [operator.privateUntil, <Moment key="" at={request.private_delete_at} as="none" />],
    [operator.auditUntil, <Moment key="" at={request.audit_delete_at} as="none" />],
  ];
  if (execution !== undefined) {
    facts.push([operator.occurrence, <SafeText key="" text={execution.action_occurrence_id} />]);
  }
  facts.push(
    [operator.id, <Digest key="" value={request.id} />],
    [operator.digest, <Digest key="" value={request_digest} />],
  );
  return (
    <section class="card">
      <Facts facts={facts} />
    </section>
  );
}

function Incidents({ id }: { id: string }) {
  const incidents = useLoading(() => readAdmin<AdminIncident>('incidents', { id }), id);
  const found = incidents.value?.items ?? [];
  if (incidents.fault === null && found.length === 0) return null;
  return (
    <section class="card">
      <h2>{operator.incidentsOf}</h2>
      <Loaded of={incidents}>{({ items }) => <IncidentTable items={items} ofOne />}</Loaded>
    </section>
  );
}

function Records(props: {
  readonly id: string;
  readonly path: string;
  readonly exported: Loading<AuditExport>;
}) {
  const { id, path, exported } = props;
  return (
    <section class="card">
      <h2>{operator.recordsTitle}</h2>
      <p class="quiet-text">{operator.recordsLead}</p>
      <Loaded of={exported}>
        {({ records }) =>
          records.length === 0 ? <p>{operator.noRecords}</p> : <RecordList records={records} />
        }
      </Loaded>
      <p class="row">
        <LinkButton href={`${path}/export`} download={`export-${id}.json`}>
          {operator.exportDownload}
        </LinkButton>
        <LinkButton href={`/auditor?request=${encodeURIComponent(id)}`} look="quiet">
          {operator.exportVerify}
        </LinkButton>
      </p>
      <EvidenceButtons id={id} />
    </section>
  );
}

function RecordList({ records }: { records: readonly SignedRecord[] }) {
  return (
    <ol class="records">
      {records.map((record) => {
        const { type, issued_at, key_id } = record.protected;
        return (
          <li key={record.signature}>
            <details>
              <summary>
                <strong>{operator.recordTypes[type] ?? <SafeText text={type} />}</strong>{' '}
                <span class="fine">
                  {issued_at} · {operator.signedBy} <SafeText text={key_id} />
                </span>
              </summary>
              <pre tabIndex={0} aria-label={operator.showRecord}>
                <SafeText text={JSON.stringify(record, null, 2)} limit={20_000} />
              </pre>
            </details>
          </li>
        );
      })}
    </ol>
  );
}

function Deliveries({ status: { delivery } }: { status: RequestStatus }) {
  return (
    <section class="card">
      <h2>{operator.deliveriesOf}</h2>
      {delivery.length === 0 ? (
        <p class="quiet-text">{operator.noDeliveriesOf}</p>
      ) : (
        <Table
          caption={operator.deliveriesOf}
          keyOf={({ id }) => id}
          rows={delivery}
          columns={[
            { title: operator.kind, cell: ({ kind }) => operator.kinds[kind] ?? kind },
            {
              title: operator.state,
              cell: ({ state }) => (
                <Chip tone={state === 'failed' ? 'bad' : state === 'accepted' ? 'good' : 'neutral'}>
                  {operator.deliveryStates[state] ?? state}
                </Chip>
              ),
            },
            { title: operator.attempts, figure: true, cell: ({ attempts }) => attempts },
            { title: operator.error, cell: ({ error }) => <DeliveryError code={error} /> },
          ]}
        />
      )}
    </section>
  );
}
