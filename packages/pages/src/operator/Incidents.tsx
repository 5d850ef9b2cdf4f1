import type { AdminIncident, IncidentCode } from '@countersign/protocol';
import { INCIDENTS } from '@countersign/protocol/incidents';

import { Nothing } from '../parts/Nothing.js';
import { Table } from '../parts/Table.js';
import { operator } from '../strings/operator.js';
import { SafeText } from '../text/SafeText.js';
import { Moment } from '../time/Moment.js';
import { Frame } from './Frame.js';
import { Pages } from './loading.js';
import { requestAddress } from './Requests.js';

function entryOf(code: string) {
  return Object.hasOwn(INCIDENTS, code) ? INCIDENTS[code as IncidentCode] : null;
}

export function Incidents() {
  return (
    <Frame title={operator.incidents} lead={operator.incidentsLead}>
      <Pages<AdminIncident> list="incidents" empty={<Nothing words={operator.noIncidents} />}>
        {(items) => (
          <section class="card">
            <IncidentTable items={items} />
          </section>
        )}
      </Pages>
    </Frame>
  );
}

/** Incidents, each with its remedy; `ofOne` when they are all about the request of the page. */
export function IncidentTable({
  items,
  ofOne = false,
}: {
  items: readonly AdminIncident[];
  ofOne?: boolean;
}) {
  const incident = {
    title: operator.incident,
    whole: true,
    cell: ({ code }: AdminIncident) => {
      const entry = entryOf(code);
      return (
        <>
          <strong>{entry === null ? <SafeText text={code} /> : entry.title}</strong>
          {entry !== null && <span class="fine beneath">{entry.meaning}</span>}
          <a class="beneath" href={`/docs/incidents/${encodeURIComponent(code)}`}>
            {operator.whatToDo}
          </a>
        </>
      );
    },
  };
  const when = {
    title: operator.when,
    cell: ({ created_at }: AdminIncident) => <Moment at={created_at} />,
  };
  const request = {
    title: operator.ofRequest,
    cell: ({ request_id }: AdminIncident) =>
      request_id === null ? '–' : <a href={requestAddress(request_id)}>{request_id}</a>,
  };
  return (
    <Table
      caption={operator.incidents}
      keyOf={({ id }) => id}
      rows={items}
      columns={ofOne ? [incident, when] : [incident, when, request]}
    />
  );
}
