import { useState } from 'preact/hooks';

import { send } from '../api/client.js';
import { Button } from '../parts/Button.js';
import { Dialog } from '../parts/Dialog.js';
import { Fault, Notice } from '../parts/Notice.js';
import { operator } from '../strings/operator.js';
import { queryText } from './data.js';

/** Ends every session of one person, after it was asked once more. */
export function EndSessions({ id }: { id: string }) {
  const [open, setOpen] = useState(false);
  const [busy, setBusy] = useState(false);
  const [done, setDone] = useState(false);
  const [fault, setFault] = useState<unknown>(null);
  const end = async () => {
    setBusy(true);
    setFault(null);
    try {
      await send('POST', `/operator/data/end-sessions${queryText({ id })}`, {});
      setOpen(false);
      setDone(true);
    } catch (failed) {
      setFault(failed);
    } finally {
      setBusy(false);
    }
  };
  return (
    <section class="card end-sessions">
      <h2>{operator.sessions}</h2>
      <p class="quiet-text">{operator.sessionsLead}</p>
      {done && (
        <Notice tone="good">
          <p>{operator.sessionsEnded}</p>
        </Notice>
      )}
      <Button
        look="danger"
        onClick={() => {
          setDone(false);
          setFault(null);
          setOpen(true);
        }}
      >
        {operator.endSessions}
      </Button>
      {open && (
        <Dialog title={operator.endSessions} onClose={() => setOpen(false)}>
          <p>{operator.endSessionsWhat(id)}</p>
          {fault !== null && <Fault fault={fault} />}
          <Button look="danger" busy={busy} onClick={() => void end()}>
            {operator.endSessionsNow}
          </Button>
        </Dialog>
      )}
    </section>
  );
}
