import type { RequestStatus } from '@countersign/protocol';
import { useRef, useState } from 'preact/hooks';

import { newKey, send } from '../api/client.js';
import { Unanswered } from '../api/problem.js';
import { Button } from '../parts/Button.js';
import { Dialog } from '../parts/Dialog.js';
import { Field } from '../parts/Field.js';
import { Fault, Notice } from '../parts/Notice.js';
import { operator } from '../strings/operator.js';
import { executionWords } from '../strings/states.js';

interface Action {
  readonly name: 'cancel' | 'revoke' | 'remind' | 'discard' | 'reconcile';
  readonly title: string;
  readonly what: string;
  readonly danger: boolean;
}

const ACTIONS: readonly Action[] = [
  { name: 'remind', title: operator.remind, what: operator.remindWhat, danger: false },
  { name: 'cancel', title: operator.cancel, what: operator.cancelWhat, danger: true },
  { name: 'revoke', title: operator.revoke, what: operator.revokeWhat, danger: true },
  { name: 'discard', title: operator.discard, what: operator.discardWhat, danger: true },
  { name: 'reconcile', title: operator.reconcile, what: operator.reconcileWhat, danger: false },
];

/**
 * The actions of an operator on a request (protocol §1): one without effect is not offered. To cancel and to revoke an unused grant
 * is the same (protocol §7): that has the one name.
 */
function offered({ decision_state, grant_state, claim }: RequestStatus): readonly Action[] {
  const pending = decision_state === 'pending';
  const unused = grant_state === 'pending_anchor' || grant_state === 'available';
  const applies: Record<Action['name'], boolean> = {
    remind: pending,
    cancel: pending,
    revoke: !pending && (unused || claim !== null),
    discard: true,
    reconcile: claim !== null,
  };
  return ACTIONS.filter(({ name }) => applies[name]);
}

const OUTCOMES = [
  'completed',
  'failed',
  'failed_partial',
  'uncertain',
  'cancelled_before_dispatch',
  'abandoned',
] as const;

export function Actions({ status, changed }: { status: RequestStatus; changed: () => void }) {
  const [open, setOpen] = useState<Action | null>(null);
  const [done, setDone] = useState(false);
  return (
    <section class="card no-print">
      <h2>{operator.actions}</h2>
      <p class="quiet-text">{operator.actionsLead}</p>
      {done && (
        <Notice tone="good">
          <p>{operator.done}</p>
        </Notice>
      )}
      <div class="row">
        {offered(status).map((action) => (
          <Button
            key={action.name}
            look={action.danger ? 'danger' : 'plain'}
            onClick={() => {
              setDone(false);
              setOpen(action);
            }}
          >
            {action.title}
          </Button>
        ))}
      </div>
      {open && (
        <Confirm
          action={open}
          status={status}
          close={() => setOpen(null)}
          done={() => {
            setOpen(null);
            setDone(true);
            changed();
          }}
        />
      )}
    </section>
  );
}

function Confirm(props: {
  action: Action;
  status: RequestStatus;
  close: () => void;
  done: () => void;
}) {
  const { action, status, close, done } = props;
  const [busy, setBusy] = useState(false);
  const [fault, setFault] = useState<unknown>(null);
  // One key for one intended action: a retry repeats the question, never the effect.
  const key = useRef(newKey());
  const asked = useRef<unknown>(null);
  const go = async (event: SubmitEvent) => {
    event.preventDefault();
    const body = asked.current ?? bodyOf(action, status, event.currentTarget as HTMLFormElement);
    setBusy(true);
    setFault(null);
    try {
      await send('POST', `/v2/requests/${status.request.id}/${action.name}`, body, {
        key: key.current,
      });
      done();
    } catch (failed) {
      // The command may have had its effect, so the same one is sent again.
      asked.current = failed instanceof Unanswered ? body : null;
      if (!(failed instanceof Unanswered)) key.current = newKey();
      setFault(failed);
      setBusy(false);
    }
  };
  const unknown = fault instanceof Unanswered;
  return (
    <Dialog title={action.title} onClose={close}>
      <form onSubmit={(event) => void go(event)}>
        <p>{action.what}</p>
        {action.name === 'reconcile' && <OutcomeFields locked={unknown} />}
        {unknown ? (
          <Notice tone="warning">
            <p>{operator.maybeDone}</p>
          </Notice>
        ) : (
          fault !== null && <Fault fault={fault} />
        )}
        <div class="row">
          <Button type="submit" look={action.danger ? 'danger' : 'primary'} busy={busy}>
            {unknown ? operator.askAgain : operator.doIt}
          </Button>
          <Button look="quiet" onClick={close}>
            {operator.leaveIt}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

function OutcomeFields({ locked }: { locked: boolean }) {
  return (
    <>
      <Field label={operator.outcome} required>
        {({ id }) => (
          <select id={id} name="status" required disabled={locked}>
            {OUTCOMES.map((each) => (
              <option key={each} value={each}>
                {executionWords[each].word}
              </option>
            ))}
          </select>
        )}
      </Field>
      <Field label={operator.reason} hint={operator.reasonHint} required>
        {({ id, describedBy }) => (
          <textarea
            id={id}
            name="reason"
            required
            disabled={locked}
            aria-describedby={describedBy}
          />
        )}
      </Field>
      <Field label={operator.evidence} hint={operator.evidenceHint} required>
        {({ id, describedBy }) => (
          <textarea
            id={id}
            name="evidence"
            required
            disabled={locked}
            aria-describedby={describedBy}
          />
        )}
      </Field>
    </>
  );
}

function bodyOf({ name }: Action, { claim }: RequestStatus, form: HTMLFormElement): unknown {
  if (name !== 'reconcile') return {};
  const given = new FormData(form);
  const text = (field: string) => String(given.get(field) ?? '').trim();
  const { execution_identity } = (claim?.payload ?? {}) as { execution_identity?: string };
  return {
    execution_identity,
    status: text('status'),
    details: { reason: text('reason'), evidence: text('evidence') },
  };
}
