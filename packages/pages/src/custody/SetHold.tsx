import type { CustodyHold, LegalHoldInput } from '@countersign/protocol';
import { useState } from 'preact/hooks';

import { newKey, send } from '../api/client.js';
import { TwoActs } from '../operator/TwoActs.js';
import { Field } from '../parts/Field.js';
import { custody } from '../strings/custody.js';
import { faultOf, idsIn, untilOf } from './hold-form.js';
import type { HoldFault } from './hold-form.js';

/** Sets a hold, or adds requests and time to one (protocol §20.2). */
export function SetHold(props: {
  /** Null for a new one. */
  readonly hold: CustodyHold | null;
  readonly done: (says: string) => void;
}) {
  const { hold, done } = props;
  const [id] = useState(() => hold?.id ?? newKey());
  const [reference, setReference] = useState(hold?.reference ?? '');
  const [day, setDay] = useState(hold === null ? '' : hold.until.slice(0, 10));
  const [ids, setIds] = useState('');
  const [fault, setFault] = useState<HoldFault | null>(null);
  const held = hold?.requests.map((request) => request.id) ?? [];
  const requests = [...new Set([...held, ...idsIn(ids)])];
  const until = untilOf(day, hold?.until ?? null);
  const save = async () => {
    const input: LegalHoldInput = { requests, reference: reference.trim(), until };
    await send('PUT', `/v2/admin/holds/${id}`, input);
    done(custody.saidSet(input.reference, requests.length));
  };
  const faultFor = (field: HoldFault['field']) =>
    fault?.field === field ? custody.faults[fault.is] : null;
  return (
    <details class={hold === null ? 'card' : undefined} open={false}>
      <summary>{hold === null ? custody.set : custody.grow}</summary>
      <form onSubmit={(event) => event.preventDefault()}>
        <Field
          label={custody.reference}
          hint={custody.referenceHint}
          fault={faultFor('reference')}
          required
        >
          {({ id: field, describedBy, invalid }) => (
            <input
              id={field}
              value={reference}
              maxLength={160}
              autoComplete="off"
              aria-describedby={describedBy}
              aria-invalid={invalid}
              onInput={({ currentTarget }) => setReference(currentTarget.value)}
            />
          )}
        </Field>
        <Field label={custody.until} hint={custody.untilHint} fault={faultFor('until')} required>
          {({ id: field, describedBy, invalid }) => (
            <input
              id={field}
              type="date"
              value={day}
              aria-describedby={describedBy}
              aria-invalid={invalid}
              onInput={({ currentTarget }) => setDay(currentTarget.value)}
            />
          )}
        </Field>
        <Field
          label={hold === null ? custody.requests : custody.moreRequests}
          hint={custody.requestsHint}
          fault={faultFor('requests')}
          required={hold === null}
        >
          {({ id: field, describedBy, invalid }) => (
            <textarea
              id={field}
              rows={4}
              value={ids}
              spellcheck={false}
              aria-describedby={describedBy}
              aria-invalid={invalid}
              onInput={({ currentTarget }) => setIds(currentTarget.value)}
            />
          )}
        </Field>
        <TwoActs
          open={custody.beforeSet}
          save={custody.setNow}
          by={JSON.stringify([requests, reference, until])}
          danger={false}
          ready={() => {
            const found = faultOf({ reference, day, ids, held, before: hold?.until ?? null });
            setFault(found);
            return found === null;
          }}
          onSave={save}
        >
          <p>{custody.setEffect(requests.length, until.slice(0, 10))}</p>
        </TwoActs>
      </form>
    </details>
  );
}
