import type { AuditExport } from '@countersign/protocol';
import { useState } from 'preact/hooks';

import { read } from '../api/client.js';
import { Button } from '../parts/Button.js';
import { Fault } from '../parts/Notice.js';
import { saveJson } from '../parts/save.js';
import { approvals as words } from '../strings/approvals.js';

const OF_VOTES: readonly unknown[] = ['ApprovalRecord', 'ApprovalEnded', 'DecisionReceipt'];

/** Saves the signed votes of a request, with their endings and the receipt that counts them, in the order of the ledger. */
export function SaveVotes({ id }: { id: string }) {
  const [busy, setBusy] = useState(false);
  const [fault, setFault] = useState<unknown>(null);
  const save = async () => {
    setBusy(true);
    setFault(null);
    try {
      const { records } = await read<AuditExport>(`/v2/requests/${encodeURIComponent(id)}/export`);
      const votes = records.filter((record) => OF_VOTES.includes(record.protected.type));
      saveJson(votes, `votes-${id}.json`);
    } catch (failed) {
      setFault(failed);
    } finally {
      setBusy(false);
    }
  };
  return (
    <div class="no-print">
      <Button busy={busy} onClick={() => void save()}>
        {words.saveVotes}
      </Button>
      {fault !== null && <Fault fault={fault} />}
    </div>
  );
}
