import { useState } from 'preact/hooks';

import { readAsText } from '../api/client.js';
import { queryText } from '../operator/data.js';
import { Button } from '../parts/Button.js';
import { Fault } from '../parts/Notice.js';
import { saveBlob } from '../parts/save.js';
import { securityLog } from '../strings/security-log.js';
import { patiently } from '../verifying/chain-run.js';
import { DATA, logFiles } from './log-file.js';

type File = 'csv' | 'json';

/** The log as files: the matches of the search for a spreadsheet, and the whole of it for a verifier. */
export function Downloads({ filter }: { filter: Readonly<Record<string, string>> }) {
  const [busy, setBusy] = useState<File | null>(null);
  const [fault, setFault] = useState<unknown>(null);
  const save = async (file: File) => {
    setBusy(file);
    setFault(null);
    try {
      await (file === 'csv' ? saveCsv(filter) : saveLog());
    } catch (failed) {
      setFault(failed);
    } finally {
      setBusy(null);
    }
  };
  return (
    <section class="card no-print">
      <h2>{securityLog.files}</h2>
      <p>{securityLog.csvHint}</p>
      <p>{securityLog.jsonHint}</p>
      <div class="row">
        <Button busy={busy === 'csv'} onClick={() => void save('csv')}>
          {securityLog.csv}
        </Button>
        <Button busy={busy === 'json'} onClick={() => void save('json')}>
          {securityLog.json}
        </Button>
      </div>
      {fault !== null && <Fault fault={fault} />}
    </section>
  );
}

async function saveCsv(filter: Readonly<Record<string, string>>): Promise<void> {
  const text = await readAsText(`${DATA}/csv${queryText(filter)}`);
  saveBlob(new Blob([text], { type: 'text/csv;charset=utf-8' }), 'security-log.csv');
}

async function saveLog(): Promise<void> {
  // The service notes the download by its first page.
  const page = (after: number) =>
    `${DATA}/pages?after=${after}${after === 0 ? '&export=true' : ''}`;
  for await (const { first, last, text } of logFiles((after) =>
    patiently(() => readAsText(page(after))),
  )) {
    saveBlob(new Blob([text], { type: 'application/json' }), `security-log-${first}-${last}.json`);
  }
}
