import type { AdminDelivery } from '@countersign/protocol';

import { Nothing } from '../parts/Nothing.js';
import { Table } from '../parts/Table.js';
import { operator } from '../strings/operator.js';
import { SafeText } from '../text/SafeText.js';
import { Moment } from '../time/Moment.js';
import { Frame } from './Frame.js';
import { Pages } from './loading.js';
import { principalAddress } from './Principal.js';
import { requestAddress, shortId } from './Requests.js';

const STATES = ['failed', 'pending', 'expired', 'accepted'] as const;

export function Deliveries() {
  const asked = new URLSearchParams(location.search).get('state');
  const state = STATES.find((known) => known === asked) ?? 'failed';
  return (
    <Frame title={operator.deliveries} lead={operator.deliveriesLead}>
      <nav class="places small no-print" aria-label={operator.state}>
        {STATES.map((each) => (
          <a
            key={each}
            href={`/operator/deliveries?state=${each}`}
            aria-current={each === state ? 'true' : undefined}
          >
            {operator.deliveryStates[each]}
          </a>
        ))}
      </nav>
      <Pages<AdminDelivery>
        list="deliveries"
        query={{ state }}
        empty={<Nothing words={operator.noneInState} />}
      >
        {(items) => (
          <section class="card">
            <Table
              caption={operator.deliveries}
              keyOf={({ id }) => id}
              rows={items}
              columns={[
                { title: operator.kind, cell: ({ kind }) => operator.kinds[kind] ?? kind },
                { title: operator.recipient, cell: recipientOf },
                { title: operator.request, cell: requestOf },
                { title: operator.attempts, figure: true, cell: ({ attempts }) => attempts },
                { title: operator.error, cell: ({ error }) => <DeliveryError code={error} /> },
                {
                  title: state === 'pending' ? operator.nextTry : operator.when,
                  cell: ({ created_at, next_at }) => <Moment at={next_at ?? created_at} />,
                },
              ]}
            />
          </section>
        )}
      </Pages>
    </Frame>
  );
}

/** The error in words, with its code for support. */
export function DeliveryError({ code }: { code: string | null }) {
  if (code === null) return <>–</>;
  const words = operator.errors[code];
  return (
    <>
      {words}
      <span class="fine beneath">
        <SafeText text={code} />
      </span>
    </>
  );
}

function recipientOf({ recipient }: AdminDelivery) {
  return recipient === null ? (
    '–'
  ) : (
    <a href={principalAddress(recipient)}>
      <SafeText text={recipient} />
    </a>
  );
}

function requestOf({ request_id }: AdminDelivery) {
  return request_id === null ? '–' : <a href={requestAddress(request_id)}>{shortId(request_id)}</a>;
}
