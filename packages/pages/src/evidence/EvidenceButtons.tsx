import { evidencePage } from '@countersign/protocol/evidence-page';
import { useState } from 'preact/hooks';

import { Button } from '../parts/Button.js';
import { Fault } from '../parts/Notice.js';
import { saveBlob } from '../parts/save.js';
import { shared } from '../strings/shared.js';
import { fetchEvidence, fetchPage } from './fetch-evidence.js';

const FORMS = {
  html: { title: shared.evidencePage, type: 'text/html' },
  json: { title: shared.evidenceJson, type: 'application/json' },
} as const;
type Form = keyof typeof FORMS;

/** Saves the evidence of a request, as a page or as JSON. */
export function EvidenceButtons({ id }: { id: string }) {
  const [busy, setBusy] = useState<Form | null>(null);
  const [waits, setWaits] = useState(false);
  const [fault, setFault] = useState<unknown>(null);
  const save = async (form: Form) => {
    setBusy(form);
    setFault(null);
    try {
      const json = await fetchEvidence(id, () => setWaits(true));
      const text = form === 'json' ? json : evidencePage(await fetchPage(), json);
      saveBlob(new Blob([text], { type: FORMS[form].type }), `evidence-${id}.${form}`);
    } catch (failed) {
      setFault(failed);
    } finally {
      setBusy(null);
      setWaits(false);
    }
  };
  return (
    <div class="no-print">
      <h3 class="spaced">{shared.evidence}</h3>
      <p class="fine">{shared.evidenceHint}</p>
      <div class="row">
        {(['html', 'json'] as const).map((form) => (
          <Button
            key={form}
            busy={busy === form}
            disabled={busy !== null}
            onClick={() => void save(form)}
          >
            {FORMS[form].title}
          </Button>
        ))}
      </div>
      <p class="fine" role="status">
        {waits && shared.evidenceWaits}
      </p>
      {fault !== null && <Fault fault={fault} />}
    </div>
  );
}
