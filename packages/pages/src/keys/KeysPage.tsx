import type { CredentialList, CredentialStatus } from '@countersign/protocol';
import { useEffect, useState } from 'preact/hooks';

import { Chip } from '../parts/Chip.js';
import type { Tone } from '../parts/Chip.js';
import { Button } from '../parts/Button.js';
import { Fault, Notice } from '../parts/Notice.js';
import { Nothing } from '../parts/Nothing.js';
import { Table } from '../parts/Table.js';
import { Waiting } from '../parts/Waiting.js';
import { keys as words } from '../strings/keys.js';
import { shared } from '../strings/shared.js';
import { SafeText } from '../text/SafeText.js';
import { Moment } from '../time/Moment.js';
import { AddKey } from './AddKey.js';
import { EndKey } from './EndKey.js';
import { WAITS_MS, activeAmong, readOwnKeys } from './own-keys.js';

/** The reader's own keys: which there are, a new one, and the end of one. */
export function KeysPage() {
  const [keys, setKeys] = useState<CredentialList | null>(null);
  const [fault, setFault] = useState<unknown>(null);
  const [says, setSays] = useState<string | null>(null);
  const [ending, setEnding] = useState<CredentialStatus | null>(null);
  const load = async () => {
    setFault(null);
    try {
      setKeys(await readOwnKeys());
    } catch (failed) {
      setFault(failed);
    }
  };
  useEffect(() => void load(), []);
  const changed = (happened: string) => {
    setSays(happened);
    void load();
  };
  const active = activeAmong(keys ?? []);
  return (
    <>
      <header class="page-head">
        <h1>{words.title}</h1>
      </header>
      <p class="lead">{words.lead}</p>
      {says !== null && (
        <Notice key={says} tone="good" arrive>
          <p>{says}</p>
        </Notice>
      )}
      {fault !== null && <Fault fault={fault} retry={() => void load()} />}
      {keys === null && fault === null && <Waiting says={shared.loading} lines={6} />}
      {keys?.length === 0 && <Nothing words={words.none} />}
      {keys !== null && keys.length > 0 && (
        <section class="card">
          {active.length === 1 && <p>{words.one}</p>}
          <KeyTable
            keys={keys}
            onEnd={(key) => {
              setSays(null);
              setEnding(key);
            }}
          />
        </section>
      )}
      {keys !== null && (
        <AddKey
          active={active}
          onBegin={() => setSays(null)}
          onAdded={({ label, state }) =>
            changed(state === 'active' ? words.addedActive(label) : words.addedWaiting(label))
          }
        />
      )}
      {ending !== null && (
        <EndKey
          of={ending}
          onClose={() => setEnding(null)}
          onEnded={() => {
            setEnding(null);
            changed(words.ended(ending.label));
          }}
        />
      )}
    </>
  );
}

const TONES: Readonly<Record<CredentialStatus['state'], Tone>> = {
  waiting: 'warning',
  active: 'good',
  suspended: 'bad',
  ended: 'neutral',
};

function KeyTable(props: {
  readonly keys: CredentialList;
  readonly onEnd: (key: CredentialStatus) => void;
}) {
  return (
    <Table
      caption={words.list}
      keyOf={({ credential }) => credential}
      rows={props.keys}
      columns={[
        {
          title: words.label,
          cell: ({ label }) => (
            <strong>
              <SafeText text={label} />
            </strong>
          ),
        },
        { title: words.state, whole: true, cell: (key) => <State of={key} /> },
        {
          title: words.kind,
          cell: ({ device_bound }) => (device_bound ? words.deviceBound : words.synced),
        },
        { title: words.added, cell: ({ created_at }) => <Moment at={created_at} /> },
        {
          title: words.action,
          cell: (key) =>
            key.state === 'ended' ? (
              '–'
            ) : (
              <Button label={words.endLabel(key.label)} onClick={() => props.onEnd(key)}>
                {words.end}
              </Button>
            ),
        },
      ]}
    />
  );
}

/** The state, and what a key waits for that does not count. */
function State({ of: { state, created_at } }: { of: CredentialStatus }) {
  return (
    <>
      <Chip tone={TONES[state]}>{words.states[state]}</Chip>
      {state === 'waiting' && (
        <span class="fine beneath">
          {words.waitsFor} {words.gone}:{' '}
          <Moment at={new Date(Date.parse(created_at) + WAITS_MS).toISOString()} as="deadline" />
        </span>
      )}
      {state === 'suspended' && <span class="fine beneath">{words.suspendedFor}</span>}
      {state === 'ended' && <span class="fine beneath">{words.endedFor}</span>}
    </>
  );
}
