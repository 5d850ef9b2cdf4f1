import { useEffect, useState } from 'preact/hooks';

import { isRefusal, read, send } from '../api/client.js';
import { Button } from '../parts/Button.js';
import { Chip } from '../parts/Chip.js';
import { Fault, Notice } from '../parts/Notice.js';
import { Table } from '../parts/Table.js';
import { reader } from '../session/session.js';
import { sessions } from '../strings/sessions.js';
import { shared } from '../strings/shared.js';
import { localTime, Moment } from '../time/Moment.js';

/** As `GET /auth/sessions` gives it. */
interface OwnSession {
  readonly id: string;
  readonly since: string;
  readonly last_used: string;
  readonly expires: string;
  readonly current: boolean;
}

/** The reader's own sessions in this tenant, and how to end them. */
export function SessionsPage() {
  const [items, setItems] = useState<readonly OwnSession[] | null>(null);
  const [busy, setBusy] = useState(false);
  const [says, setSays] = useState<string | null>(null);
  const [fault, setFault] = useState<unknown>(null);
  const load = async () => {
    try {
      setItems((await read<{ items: OwnSession[] }>('/auth/sessions')).items);
    } catch (failed) {
      setFault(failed);
    }
  };
  useEffect(() => void load(), []);
  const end = async (path: string) => {
    setBusy(true);
    setFault(null);
    setSays(null);
    try {
      const { ended } = await send<{ ended: number }>('POST', `/auth/sessions/${path}`, {});
      setSays(sessions.ended(ended));
    } catch (failed) {
      if (isRefusal(failed, 'not_found')) setSays(sessions.gone);
      else setFault(failed);
    }
    await load();
    setBusy(false);
  };
  const others = items?.some(({ current }) => !current) ?? false;
  return (
    <>
      <header class="row apart page-head">
        <h1>{sessions.title}</h1>
        {others && (
          <Button look="danger" busy={busy} onClick={() => void end('end-others')}>
            {sessions.endOthers}
          </Button>
        )}
      </header>
      <p class="lead">{sessions.lead(reader()?.tenant ?? '')}</p>
      {says !== null && (
        <Notice tone="good">
          <p>{says}</p>
        </Notice>
      )}
      {fault !== null && <Fault fault={fault} retry={() => void load()} />}
      {items === null && fault === null && (
        <p class="quiet-text" role="status">
          {shared.loading}
        </p>
      )}
      {items !== null && (
        <section class="card">
          <Table
            caption={sessions.list}
            keyOf={({ id }) => id}
            rows={items}
            columns={[
              {
                title: sessions.which,
                cell: ({ current }) =>
                  current ? (
                    <span class="row chips">
                      <Chip tone="accent">{sessions.current}</Chip>
                    </span>
                  ) : (
                    sessions.other
                  ),
              },
              { title: sessions.since, cell: ({ since }) => <Moment at={since} /> },
              { title: sessions.lastUsed, cell: ({ last_used }) => <Moment at={last_used} /> },
              {
                title: sessions.expires,
                cell: ({ expires }) => <Moment at={expires} as="deadline" />,
              },
              {
                title: sessions.action,
                cell: ({ id, since, current }) =>
                  current ? (
                    '–'
                  ) : (
                    <Button
                      busy={busy}
                      label={sessions.endLabel(localTime(Date.parse(since)))}
                      onClick={() => void end(`${id}/end`)}
                    >
                      {sessions.end}
                    </Button>
                  ),
              },
            ]}
          />
        </section>
      )}
      {items !== null && (
        <p class="fine">
          {others ? sessions.lastUsedHint : `${sessions.noOthers} ${sessions.lastUsedHint}`}
        </p>
      )}
    </>
  );
}
