import type { AdminKey } from '@countersign/protocol';
import { useState } from 'preact/hooks';

import { EndKey } from '../keys/EndKey.js';
import { WAITS_MS } from '../keys/own-keys.js';
import { Button } from '../parts/Button.js';
import { Chip } from '../parts/Chip.js';
import { Nothing } from '../parts/Nothing.js';
import { Notice } from '../parts/Notice.js';
import { Table } from '../parts/Table.js';
import { reader } from '../session/session.js';
import { keys as ofPeople } from '../strings/keys.js';
import { keyDesk as words } from '../strings/key-desk.js';
import { SafeText } from '../text/SafeText.js';
import { Moment } from '../time/Moment.js';
import { Countersign } from './Countersign.js';
import { Pages } from './loading.js';
import { principalAddress } from './Principal.js';

interface Done {
  readonly credential: string;
  readonly says: string;
}

/** Keys that wait for an operator, and the way to vouch for one at a time (protocol §19.3). */
export function Keys() {
  const [chosen, setChosen] = useState<AdminKey | null>(null);
  const [ending, setEnding] = useState<AdminKey | null>(null);
  const [done, setDone] = useState<Done | null>(null);
  return (
    <>
      {done !== null && (
        <Notice key={done.credential} tone="good" arrive>
          <p>{done.says}</p>
        </Notice>
      )}
      {/* Read anew after each countersignature. */}
      <Pages<AdminKey> key={done?.credential} list="keys" empty={<Nothing words={words.none} />}>
        {(items) => (
          <section class="card">
            <KeyTable items={items} choose={setChosen} end={setEnding} />
          </section>
        )}
      </Pages>
      {chosen !== null && (
        <Countersign
          of={chosen}
          onClose={() => setChosen(null)}
          onDone={() => {
            const { credential, label, name, principal } = chosen;
            setDone({ credential, says: words.done(label, name ?? principal) });
            setChosen(null);
          }}
        />
      )}
      {ending !== null && (
        <EndKey
          of={ending}
          onClose={() => setEnding(null)}
          onEnded={() => {
            setDone({ credential: ending.credential, says: ofPeople.ended(ending.label) });
            setEnding(null);
          }}
        />
      )}
    </>
  );
}

function KeyTable(props: {
  readonly items: readonly AdminKey[];
  readonly choose: (key: AdminKey) => void;
  readonly end: (key: AdminKey) => void;
}) {
  const subject = reader()?.subject;
  return (
    <Table
      caption={words.list}
      keyOf={({ credential }) => credential}
      rows={props.items}
      columns={[
        {
          title: words.person,
          cell: ({ principal, name }) => (
            <>
              <a href={principalAddress(principal)}>
                <SafeText text={name ?? principal} limit={80} />
              </a>
              <code class="beneath">
                <SafeText text={principal} />
              </code>
            </>
          ),
        },
        {
          title: words.login,
          whole: true,
          cell: ({ login }) => (
            <>
              <SafeText text={login.subject ?? '–'} limit={80} />
              <span class="fine beneath">
                <SafeText text={login.issuer ?? ''} limit={80} />
              </span>
            </>
          ),
        },
        {
          title: words.key,
          whole: true,
          cell: ({ label, state, device_bound }) => (
            <>
              <strong>
                <SafeText text={label} />
              </strong>{' '}
              {state === 'suspended' && <Chip tone="bad">{words.suspended}</Chip>}
              <span class="fine beneath">
                {device_bound ? words.deviceBound : words.synced}
                {state === 'suspended' && `. ${words.suspendedWhy}`}
              </span>
            </>
          ),
        },
        {
          title: words.since,
          cell: ({ created_at, state }) => (
            <>
              <Moment at={created_at} />
              {state === 'waiting' && (
                <span class="fine beneath">
                  {words.gone}{' '}
                  <Moment
                    at={new Date(Date.parse(created_at) + WAITS_MS).toISOString()}
                    as="deadline"
                  />
                </span>
              )}
            </>
          ),
        },
        {
          title: words.action,
          cell: (key) =>
            key.principal === subject ? (
              <span class="fine">{words.own}</span>
            ) : (
              <div class="row">
                <Button
                  label={words.openLabel(key.label, key.name ?? key.principal)}
                  onClick={() => props.choose(key)}
                >
                  {words.open}
                </Button>
                <Button
                  look="quiet"
                  label={ofPeople.endLabel(key.label)}
                  onClick={() => props.end(key)}
                >
                  {ofPeople.end}
                </Button>
              </div>
            ),
        },
      ]}
    />
  );
}
