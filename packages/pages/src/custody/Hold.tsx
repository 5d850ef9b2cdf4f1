import type { CustodyHold } from '@countersign/protocol';

import { Chip } from '../parts/Chip.js';
import { Facts } from '../parts/Facts.js';
import { Table } from '../parts/Table.js';
import { custody } from '../strings/custody.js';
import { SafeText } from '../text/SafeText.js';
import { Moment } from '../time/Moment.js';
import { Lift } from './Lift.js';
import { SetHold } from './SetHold.js';

/** One hold: its requests with their exports, who read them, and how it grows and ends. */
export function Hold({ hold, done }: { hold: CustodyHold; done: (says: string) => void }) {
  const { id, reference, lifted, in_force: inForce, requests, readings } = hold;
  const heading = `hold-${id}`;
  return (
    <section class="card" aria-labelledby={heading}>
      <header class="row apart">
        <h2 id={heading}>
          <SafeText text={reference} limit={160} />
        </h2>
        <Chip tone={inForce ? 'accent' : 'neutral'}>{stateOf(hold)}</Chip>
      </header>
      <Facts
        facts={[
          [custody.until, <Moment at={hold.until} as={inForce ? 'deadline' : 'event'} />],
          [
            custody.setBy,
            <>
              {hold.set_by}, <Moment at={hold.set_at} />
            </>,
          ],
          ...(lifted === null
            ? []
            : [
                [
                  custody.liftedBy,
                  <>
                    {lifted.by}, <Moment at={lifted.at} />
                  </>,
                ] as const,
              ]),
          [custody.id, <code>{id}</code>],
        ]}
      />
      <Table
        caption={custody.requests}
        keyOf={(request) => request.id}
        rows={requests}
        columns={[
          {
            title: custody.request,
            whole: true,
            cell: ({ id: request, summary }) => (
              <>
                {summary === null ? custody.deleted : <SafeText text={summary} limit={300} />}{' '}
                <code>{request}</code>
              </>
            ),
          },
          {
            title: custody.export,
            cell: ({ id: request }) =>
              inForce ? (
                <a
                  href={`/v2/admin/holds/${id}/export/${request}`}
                  download={`${request}.json`}
                  aria-label={custody.exportOf(request)}
                >
                  {custody.save}
                </a>
              ) : (
                '–'
              ),
          },
        ]}
      />
      <details>
        <summary>{custody.readings(readings.length)}</summary>
        {readings.length === 0 ? (
          <p class="quiet-text">{custody.noReadings}</p>
        ) : (
          <Table
            caption={custody.readingsOf}
            keyOf={({ request, at }) => `${request} ${at}`}
            rows={readings}
            columns={[
              { title: custody.reader, cell: ({ by }) => by },
              { title: custody.request, cell: ({ request }) => <code>{request}</code> },
              { title: custody.at, cell: ({ at }) => <Moment at={at} /> },
            ]}
          />
        )}
      </details>
      {inForce && (
        <>
          <SetHold hold={hold} done={done} />
          <Lift hold={hold} done={done} />
        </>
      )}
    </section>
  );
}

function stateOf({ lifted, in_force }: CustodyHold): string {
  if (lifted !== null) return custody.lifted;
  return in_force ? custody.inForce : custody.ranOut;
}
