import type { CustodyHold } from '@countersign/protocol';
import { useState } from 'preact/hooks';

import { newKey, send } from '../api/client.js';
import { TwoActs } from '../operator/TwoActs.js';
import { Field } from '../parts/Field.js';
import { Notice } from '../parts/Notice.js';
import { reader } from '../session/session.js';
import { custody } from '../strings/custody.js';

/** Ends a hold, by another person than the one who set it (protocol §20.3). */
export function Lift({ hold, done }: { hold: CustodyHold; done: (says: string) => void }) {
  const { id, set_by: setBy } = hold;
  const [reason, setReason] = useState('');
  const [fault, setFault] = useState<string | null>(null);
  // One for the intended effect, however often it is sent.
  const [key] = useState(newKey);
  if (reader()?.subject === setBy) {
    return (
      <Notice tone="info">
        <p>{custody.yours}</p>
      </Notice>
    );
  }
  return (
    <details>
      <summary>{custody.lift}</summary>
      <form onSubmit={(event) => event.preventDefault()}>
        <Field label={custody.reason} hint={custody.reasonHint} fault={fault} required>
          {({ id: field, describedBy, invalid }) => (
            <input
              id={field}
              value={reason}
              maxLength={300}
              autoComplete="off"
              aria-describedby={describedBy}
              aria-invalid={invalid}
              onInput={({ currentTarget }) => setReason(currentTarget.value)}
            />
          )}
        </Field>
        <TwoActs
          open={custody.beforeLift}
          save={custody.liftNow}
          by={`${id} ${reason}`}
          danger
          ready={() => {
            const isGiven = reason.trim() !== '';
            setFault(isGiven ? null : custody.reasonMissing);
            return isGiven;
          }}
          onSave={async () => {
            await send('POST', `/v2/admin/holds/${id}/lift`, { reason: reason.trim() }, { key });
            done(custody.saidLifted(hold.reference));
          }}
        >
          <p>{custody.liftEffect(setBy)}</p>
        </TwoActs>
      </form>
    </details>
  );
}
