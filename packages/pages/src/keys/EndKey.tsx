import type { CredentialStatus, EndCredential } from '@countersign/protocol';
import { useState } from 'preact/hooks';

import { newKey, send } from '../api/client.js';
import { Button } from '../parts/Button.js';
import { Dialog } from '../parts/Dialog.js';
import { Field } from '../parts/Field.js';
import { Fault } from '../parts/Notice.js';
import { keys as words } from '../strings/keys.js';
import { now } from '../time/clock.js';
import './keys.css';

type Reason = EndCredential['reason'];
const REASONS = Object.keys(words.reasons) as Reason[];

/** Ends a key, after its reason was chosen: votes and authority depend on it (protocol §19.4). */
export function EndKey(props: {
  readonly of: Pick<CredentialStatus, 'credential' | 'label' | 'state'>;
  readonly onClose: () => void;
  readonly onEnded: () => void;
}) {
  const { of, onClose, onEnded } = props;
  const waits = of.state === 'waiting';
  const [reason, setReason] = useState<Reason | null>(waits ? 'left' : null);
  const [since, setSince] = useState('');
  const [call, setCall] = useState(newKey);
  const [busy, setBusy] = useState(false);
  const [fault, setFault] = useState<unknown>(null);
  const stamp = reason === 'compromised' && since !== '' ? Date.parse(since) : null;
  const isAhead = stamp !== null && !(stamp <= now());
  // Another effect is another call; the same one is repeated under its key.
  const choose = (next: Reason) => {
    setReason(next);
    setCall(newKey());
  };
  const end = async () => {
    if (reason === null || isAhead) return;
    setBusy(true);
    setFault(null);
    const input: EndCredential = {
      reason,
      ...(stamp !== null && { compromised_since: new Date(stamp).toISOString() }),
    };
    try {
      await send('POST', `/v2/credentials/${of.credential}/end`, input, { key: call });
      onEnded();
    } catch (failed) {
      setFault(failed);
      setBusy(false);
    }
  };
  return (
    <Dialog title={words.endTitle(of.label)} onClose={onClose}>
      {waits ? (
        <p>{words.endWaiting}</p>
      ) : (
        <>
          <fieldset class="reasons">
            <legend>{words.reason}</legend>
            {REASONS.map((each) => (
              <label key={each}>
                <input
                  type="radio"
                  name="reason"
                  checked={reason === each}
                  onChange={() => choose(each)}
                />
                <span>
                  {words.reasons[each][0]}
                  <span class="fine beneath">{words.reasons[each][1]}</span>
                </span>
              </label>
            ))}
          </fieldset>
          {reason === 'compromised' && (
            <Field
              label={words.since}
              hint={words.sinceHint}
              fault={isAhead ? words.sinceFault : null}
            >
              {({ id, describedBy, invalid }) => (
                <input
                  id={id}
                  type="datetime-local"
                  aria-describedby={describedBy}
                  aria-invalid={invalid}
                  value={since}
                  onInput={({ currentTarget }) => {
                    setSince(currentTarget.value);
                    setCall(newKey());
                  }}
                />
              )}
            </Field>
          )}
          <p class="fine">{words.endFinal}</p>
        </>
      )}
      {fault !== null && <Fault fault={fault} />}
      <div class="row">
        <Button
          look="danger"
          busy={busy}
          disabled={reason === null || isAhead}
          onClick={() => void end()}
        >
          {words.endNow}
        </Button>
        <Button look="quiet" disabled={busy} onClick={onClose}>
          {words.keep}
        </Button>
      </div>
    </Dialog>
  );
}
