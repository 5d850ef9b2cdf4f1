import type { LedgerEntry, LedgerPage, SignedRecord } from '@countersign/protocol';
import { useState } from 'preact/hooks';

import { read } from '../api/client.js';
import { Button } from '../parts/Button.js';
import { Digest } from '../parts/Digest.js';
import { Field } from '../parts/Field.js';
import { Table } from '../parts/Table.js';
import { ledgerWords } from '../strings/chain.js';
import { operator } from '../strings/operator.js';
import { SafeText } from '../text/SafeText.js';
import { Moment } from '../time/Moment.js';
import { ChainVerification } from '../verifying/ChainVerification.js';
import type { Chain } from '../verifying/ChainVerification.js';
import { Frame } from './Frame.js';
import { Loaded, useLoading } from './loading.js';
import { requestAddress, shortId } from './Requests.js';

const LEDGER: Chain = {
  words: ledgerWords,
  address: (after) => `/v2/admin/ledger?after=${after}`,
  last: lastOf,
  verify: (verifier, page) => verifier.ask({ ask: 'entries', page }),
};

/** The number of a page's last entry without reading all of it: pages may hold megabytes. */
function lastOf(page: string): number | null {
  const numbers = page.lastIndexOf('"sequence":"');
  const found = /^"sequence":"(\d{1,16})"/.exec(page.slice(numbers, numbers + 40));
  return found === null ? null : Number(found[1]);
}

export function Ledger() {
  const [from, setFrom] = useState(1);
  return (
    <Frame title={operator.ledger} lead={operator.ledgerLead}>
      <ChainVerification chain={LEDGER} show={setFrom} />
      <Entries from={from} show={setFrom} />
    </Frame>
  );
}

function Entries({ from, show }: { from: number; show: (from: number) => void }) {
  const entries = useLoading(
    () => read<LedgerPage>(`/v2/admin/ledger?after=${from - 1}`),
    `${from}`,
  );
  const last = Number(entries.value?.at(-1)?.sequence ?? 0);
  const go = (event: SubmitEvent) => {
    event.preventDefault();
    const given = Number(new FormData(event.currentTarget as HTMLFormElement).get('from'));
    if (Number.isInteger(given) && given >= 1) show(given);
  };
  return (
    <section class="card" id="entries">
      <h2>{operator.entriesTitle}</h2>
      <form class="row adding no-print" onSubmit={go}>
        <Field label={operator.entriesFrom}>
          {({ id }) => (
            <input
              key={from}
              id={id}
              name="from"
              type="number"
              min={1}
              max={99_999_999}
              defaultValue={String(from)}
            />
          )}
        </Field>
        <Button type="submit">{operator.showEntries}</Button>
      </form>
      <Loaded of={entries}>
        {(page) =>
          page.length === 0 ? (
            <p class="quiet-text">{operator.noEntries}</p>
          ) : (
            <>
              <Table
                caption={operator.entriesTitle}
                keyOf={({ sequence }) => sequence}
                rows={page}
                columns={[
                  { title: operator.entry, figure: true, cell: ({ sequence }) => sequence },
                  { title: operator.type, cell: (entry) => <Content entry={entry} /> },
                  {
                    title: operator.request,
                    cell: ({ request_id }) =>
                      request_id === null ? (
                        '–'
                      ) : (
                        <a href={requestAddress(request_id)}>{shortId(request_id)}</a>
                      ),
                  },
                  { title: operator.when, cell: ({ created_at }) => <Moment at={created_at} /> },
                ]}
              />
              {page.length === 100 && (
                <p class="more">
                  <Button onClick={() => show(last + 1)}>{operator.loadMore}</Button>
                </p>
              )}
            </>
          )
        }
      </Loaded>
    </section>
  );
}

/** The content of an entry: its type at once, the record on demand. */
function Content({ entry: { record, head } }: { entry: LedgerEntry }) {
  const [open, setOpen] = useState(false);
  if (record === null) return <em class="quiet-text">{operator.textGone}</em>;
  const type = typeOf(record);
  return (
    <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>{operator.recordTypes[type] ?? <SafeText text={type} limit={60} />}</summary>
      {open && (
        <>
          <pre tabIndex={0} aria-label={operator.showRecord}>
            <SafeText text={readable(record)} limit={20_000} />
          </pre>
          <p class="fine">
            {operator.head} <Digest value={head} />
          </p>
        </>
      )}
    </details>
  );
}

function typeOf(record: string): string {
  try {
    return String((JSON.parse(record) as SignedRecord).protected.type);
  } catch {
    return operator.unreadable;
  }
}

function readable(record: string): string {
  try {
    return JSON.stringify(JSON.parse(record), null, 2);
  } catch {
    return record;
  }
}
