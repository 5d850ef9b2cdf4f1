import type { InboxItem } from '@countersign/protocol';
import { useEffect, useRef, useState } from 'preact/hooks';

import { Button } from '../parts/Button.js';
import { Chip } from '../parts/Chip.js';
import { Dialog } from '../parts/Dialog.js';
import { Digest } from '../parts/Digest.js';
import { Field } from '../parts/Field.js';
import { refusing as words } from '../strings/refusing.js';
import { decisionNames } from '../strings/states.js';
import { Pieces, SafeText } from '../text/SafeText.js';
import { MOST_REFUSED } from './answer.js';
import { createRefusals } from './refusals.js';
import type { Refusals, Refusing } from './refusals.js';

/** One reason for a few requests: each is listed, frozen, read, confirmed and signed by itself. */
export function RefuseMany(props: {
  readonly items: readonly InboxItem[];
  readonly me: string;
  readonly onClose: () => void;
}) {
  const { me, onClose } = props;
  const [items] = useState(props.items.slice(0, MOST_REFUSED));
  const [reason, setReason] = useState('');
  const [rows, setRows] = useState<Readonly<Record<string, Refusing>>>({});
  const [step, setStep] = useState<'reason' | 'freezing' | 'reading' | 'signing'>('reason');
  const [read, setRead] = useState(false);
  const refusals = useRef<Refusals | null>(null);
  useEffect(() => () => refusals.current?.close(), []);

  const freeze = async () => {
    setStep('freezing');
    refusals.current = createRefusals(items, me, (id, how) =>
      setRows((known) => ({ ...known, [id]: how })),
    );
    await refusals.current.freeze(reason.trim());
    setStep('reading');
  };
  const states = items.map(({ id }) => rows[id] ?? ({ kind: 'waiting' } as const));
  const count = (of: string) =>
    states.filter((row) => row.kind === 'slot' && row.state.step === of).length;
  const frozen = count('reviewing');
  const done = count('confirmed');
  const busy = count('confirming');

  return (
    <Dialog title={words.title(items.length)} onClose={onClose}>
      {props.items.length > items.length && <p>{words.most(MOST_REFUSED)}</p>}
      {step === 'reason' ? (
        <Field label={words.reason} hint={words.reasonHint} required>
          {({ id, describedBy }) => (
            <textarea
              id={id}
              aria-describedby={describedBy}
              maxLength={400}
              value={reason}
              onInput={({ currentTarget: { value } }) => setReason(value)}
            />
          )}
        </Field>
      ) : (
        <p role="status">
          {step === 'freezing'
            ? words.freezing
            : step === 'reading'
              ? words.readThem(frozen, items.length - frozen)
              : words.signed(done, busy)}
        </p>
      )}
      <ul class="refusals">
        {items.map((item, at) => (
          <Row key={item.id} item={item} how={states[at] ?? { kind: 'waiting' }} />
        ))}
      </ul>
      <div class="refusals-bar">
        {step === 'reading' && frozen > 0 && (
          <label class="option read">
            <input
              type="checkbox"
              checked={read}
              onChange={({ currentTarget: { checked } }) => setRead(checked)}
            />
            <span>{words.haveRead(frozen)}</span>
          </label>
        )}
        <div class="row">
          {(step === 'reason' || step === 'freezing') && (
            <Button
              look="primary"
              busy={step === 'freezing'}
              disabled={reason.trim() === ''}
              onClick={() => void freeze()}
            >
              {words.freeze(items.length)}
            </Button>
          )}
          {step === 'reading' && frozen > 0 && (
            <Button
              look="primary"
              disabled={!read}
              onClick={(event) => {
                if (refusals.current?.confirm(event)) setStep('signing');
              }}
            >
              {words.sign(frozen)}
            </Button>
          )}
          <Button onClick={onClose}>{step === 'signing' ? words.close : words.cancel}</Button>
        </div>
      </div>
    </Dialog>
  );
}

function Row({ item, how }: { item: InboxItem; how: Refusing }) {
  return (
    <li>
      <p class="row apart">
        <a href={`/review/${encodeURIComponent(item.id)}`} target="_blank" rel="noopener">
          <SafeText text={item.summary} limit={160} />
        </a>
        <State how={how} />
      </p>
      <p class="fine">
        <Pieces text={`${item.producer.name ?? item.producer.id} · ${item.route}`} />
      </p>
      {how.kind === 'left' && <p class="fine">{words.left[how.why]}</p>}
      {how.kind === 'slot' && <Frozen state={how.state} />}
    </li>
  );
}

function State({ how }: { how: Refusing }) {
  if (how.kind !== 'slot') {
    return <Chip tone={how.kind === 'left' ? 'warning' : 'neutral'}>{words.states[how.kind]}</Chip>;
  }
  const { step } = how.state;
  const tone = step === 'confirmed' ? 'good' : step === 'free' ? 'warning' : 'accent';
  return <Chip tone={tone}>{words.states[step]}</Chip>;
}

/** What is signed for one of them. */
function Frozen({ state }: { state: Extract<Refusing, { kind: 'slot' }>['state'] }) {
  if (state.step === 'free') return <p class="fine">{words.left.failed}</p>;
  if (state.step === 'preparing') return null;
  const { candidate, digest } = state.frozen;
  return (
    <>
      {state.step === 'reviewing' && state.freshLogin && <p class="fault">{words.freshLogin}</p>}
      {state.step === 'reviewing' && state.fault !== null && (
        <p class="fault">{words.left.failed}</p>
      )}
      <details open>
        <summary>{words.exactly}</summary>
        <p>
          <strong>{decisionNames[candidate.decision]?.word ?? candidate.decision}</strong>
        </p>
        <pre tabIndex={0}>
          <Pieces text={candidate.response_canonical} />
        </pre>
        <p class="fine">
          {words.digest} <Digest value={digest} />
        </p>
      </details>
    </>
  );
}
