import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';

import { Unanswered } from '../api/problem.js';
import { Button } from '../parts/Button.js';
import { Fault, Notice } from '../parts/Notice.js';
import { approvalDesk } from '../strings/approval-desk.js';
import { operator } from '../strings/operator.js';

/** A change whose effects are read before it is saved (decisions/0016). Another change closes the panel. */
export function TwoActs(props: {
  readonly open: string;
  readonly save: string;
  /** What is to be saved, as a text. */
  readonly by: string;
  readonly danger: boolean;
  readonly ready: () => boolean;
  readonly onSave: () => Promise<void>;
  readonly children: ComponentChildren;
}) {
  const { open, save, by, danger, ready, onSave, children } = props;
  const [seen, setSeen] = useState<string | null>(null);
  const [busy, setBusy] = useState(false);
  const [fault, setFault] = useState<unknown>(null);
  const panel = useRef<HTMLElement>(null);
  useEffect(() => panel.current?.focus(), [seen]);
  const run = async () => {
    setBusy(true);
    setFault(null);
    try {
      await onSave();
      setSeen(null);
    } catch (failed) {
      setFault(failed);
    } finally {
      setBusy(false);
    }
  };
  return (
    <>
      {fault instanceof Unanswered ? (
        <Notice tone="warning">
          <p>{operator.maybeDone}</p>
        </Notice>
      ) : (
        fault !== null && <Fault fault={fault} />
      )}
      {seen !== by ? (
        <Button
          onClick={() => {
            setFault(null);
            if (ready()) setSeen(by);
          }}
        >
          {open}
        </Button>
      ) : (
        <section class="preview" ref={panel} tabIndex={-1} aria-label={approvalDesk.before}>
          <h3>{approvalDesk.before}</h3>
          {children}
          <div class="row no-print">
            <Button look={danger ? 'danger' : 'primary'} busy={busy} onClick={() => void run()}>
              {save}
            </Button>
            <Button look="quiet" onClick={() => setSeen(null)}>
              {approvalDesk.keepEditing}
            </Button>
          </div>
        </section>
      )}
    </>
  );
}
