import type { SecurityEntry, SecurityEvent } from '@countersign/protocol';
import { SECURITY_KINDS } from '@countersign/protocol/security-kinds';
import { useState } from 'preact/hooks';

import { requestAddress, shortId } from '../operator/Requests.js';
import { Chip } from '../parts/Chip.js';
import type { Tone } from '../parts/Chip.js';
import { Dialog } from '../parts/Dialog.js';
import { Digest } from '../parts/Digest.js';
import { Facts } from '../parts/Facts.js';
import type { Fact } from '../parts/Facts.js';
import { Table } from '../parts/Table.js';
import type { Column } from '../parts/Table.js';
import { reader } from '../session/session.js';
import { securityLog } from '../strings/security-log.js';
import { SafeText } from '../text/SafeText.js';
import { Moment } from '../time/Moment.js';
import { detailText } from './detail.js';
import { stateOf } from './verified.js';
import type { EntryState, Verified } from './verified.js';

export interface EntryTableProps {
  readonly entries: readonly SecurityEntry[];
  readonly verified: Verified;
  /** This page under the filter with these changes. */
  readonly addressOf: (change: Readonly<Record<string, string>>) => string;
}

interface Row extends SecurityEntry {
  readonly event: SecurityEvent;
  readonly state: EntryState;
}

export function EntryTable({ entries, verified, addressOf }: EntryTableProps) {
  const [opened, setOpened] = useState<number | null>(null);
  const rows = entries.map((entry): Row => {
    const event = JSON.parse(entry.entry) as SecurityEvent;
    return { ...entry, event, state: stateOf(entry, verified) };
  });
  const shown = rows.find(({ sequence }) => sequence === opened);
  const columns: Column<Row>[] = [
    { title: securityLog.entry, figure: true, cell: ({ sequence }) => sequence },
    {
      title: securityLog.what,
      cell: ({ sequence, event }) => (
        <button
          type="button"
          class="link-button"
          aria-haspopup="dialog"
          onClick={() => setOpened(sequence)}
        >
          <SafeText text={wordsOf(event.kind)} limit={160} />
        </button>
      ),
    },
    { title: securityLog.actor, cell: ({ event }) => <Name text={event.actor?.id ?? null} /> },
    { title: securityLog.subject, cell: ({ event }) => <About event={event} /> },
    { title: securityLog.when, cell: ({ event }) => <Moment at={event.time} /> },
  ];
  if (verified.heads.length > 0) {
    columns.push({ title: securityLog.verified, cell: ({ state }) => <State state={state} /> });
  }
  return (
    <section class="card">
      <Table
        caption={securityLog.title}
        keyOf={({ sequence }) => String(sequence)}
        rows={rows}
        columns={columns}
      />
      {shown && <Detail row={shown} addressOf={addressOf} close={() => setOpened(null)} />}
    </section>
  );
}

function wordsOf(kind: string): string {
  return Object.hasOwn(SECURITY_KINDS, kind)
    ? SECURITY_KINDS[kind as keyof typeof SECURITY_KINDS].says
    : kind;
}

function Name({ text }: { text: string | null }) {
  return text === null ? '–' : <SafeText text={text} limit={80} />;
}

function About({ event: { subject, request_id } }: { event: SecurityEvent }) {
  if (request_id === null) return <Name text={subject} />;
  return (
    <>
      {subject !== null && <Name text={subject} />}
      <RequestName id={request_id} />
    </>
  );
}

/** Operators can go on to the request; auditors see none. */
function RequestName({ id, whole = false }: { id: string; whole?: boolean }) {
  const name = whole ? id : shortId(id);
  return reader()?.operator === true ? (
    <a href={requestAddress(id)}>{name}</a>
  ) : (
    <code>{name}</code>
  );
}

const TONES: Readonly<Record<EntryState, Tone>> = {
  covered: 'good',
  chained: 'neutral',
  open: 'neutral',
  other: 'bad',
};

function State({ state }: { state: EntryState }) {
  return <Chip tone={TONES[state]}>{securityLog.states[state]}</Chip>;
}

function Detail(props: {
  readonly row: Row;
  readonly addressOf: EntryTableProps['addressOf'];
  readonly close: () => void;
}) {
  const { row, addressOf, close } = props;
  const { sequence, event, state, head, previous_head } = row;
  const { actor, subject, request_id, source, detail } = event;
  const more = (name: 'actor' | 'subject' | 'request', value: string) => (
    <a class="fine beneath" href={addressOf({ [name]: value })}>
      {securityLog.more[name]}
    </a>
  );
  const facts: (Fact | false)[] = [
    [securityLog.what, <code key="">{event.kind}</code>],
    [securityLog.when, <Moment key="" at={event.time} />],
    actor !== null && [
      securityLog.actor,
      <>
        <SafeText text={actor.id} /> ({securityLog.actorKinds[actor.kind] ?? actor.kind})
        {more('actor', actor.id)}
      </>,
    ],
    subject !== null && [
      securityLog.subject,
      <>
        <SafeText text={subject} />
        {more('subject', subject)}
      </>,
    ],
    request_id !== null && [
      securityLog.request,
      <>
        <RequestName id={request_id} whole />
        {more('request', request_id)}
      </>,
    ],
    [securityLog.source, securityLog.sources[source] ?? source],
    ...Object.entries(detail).map(([name, value]): Fact => [
      securityLog.details[name] ?? name,
      <SafeText key="" text={detailText(name, value)} limit={4_000} />,
    ]),
    [
      securityLog.verified,
      <>
        <State state={state} />
        <span class="fine beneath">{securityLog.stateHints[state]}</span>
      </>,
    ],
    [securityLog.head, <Digest key="" value={head} />],
    [
      securityLog.previousHead,
      previous_head === '' ? '–' : <Digest key="" value={previous_head} />,
    ],
  ];
  return (
    <Dialog title={securityLog.entryTitle(sequence, wordsOf(event.kind))} onClose={close}>
      <Facts facts={facts.filter((fact) => fact !== false)} />
    </Dialog>
  );
}
