import { isRefusal } from '../api/client.js';
import { Document } from '../material/Document.js';
import type { CheckedDigest } from '../material/messages.js';
import { Payload } from '../material/Payload.js';
import { Button } from '../parts/Button.js';
import { Chip } from '../parts/Chip.js';
import { Digest } from '../parts/Digest.js';
import { Fault, Notice } from '../parts/Notice.js';
import { saveBlob } from '../parts/save.js';
import { Waiting } from '../parts/Waiting.js';
import { review } from '../strings/review.js';
import type { MaterialState } from './material-state.js';

/** The document that the decision is about, and the data behind it. */
export function MaterialPart({ material }: { material: MaterialState }) {
  const { head, store, fault, reload } = material;
  if (isRefusal(fault, 'material_deleted')) {
    return (
      <Notice tone="info" title={review.materialGone}>
        <p>{review.materialGoneLead}</p>
      </Notice>
    );
  }
  if (fault !== null) return <Fault fault={fault} retry={reload} />;
  if (!head || !store) {
    return (
      <section class="card document-card">
        <Waiting says={review.loadingMaterial} lines={34} />
      </section>
    );
  }
  const save = (name: 'document' | 'payload', file: string) => {
    void store.ask('part', { name }).then(({ blob }) => saveBlob(blob, file));
  };
  return (
    <>
      <section class="card document-card" aria-labelledby="document">
        <div class="row apart">
          <h2 id="document">{review.document}</h2>
          <Button look="quiet" onClick={() => save('document', `document-${head.request.id}.txt`)}>
            {review.saveDocument}
          </Button>
        </div>
        <Document store={store} text={head.document.text} />
        {head.document.text === null && <p class="print-only">{review.notPrinted}</p>}
        <Checked digest={head.document.digest} />
      </section>
      <section class="card payload-card no-print" aria-labelledby="payload">
        <div class="row apart">
          <h2 id="payload">{review.payload}</h2>
          <Button look="quiet" onClick={() => save('payload', `payload-${head.request.id}.json`)}>
            {review.savePayload}
          </Button>
        </div>
        <p class="fine">{review.payloadLead(head.payload.bytes)}</p>
        <Payload store={store} />
        <Checked digest={head.payload.digest} />
      </section>
    </>
  );
}

/** A digest beside its subject, and whether this browser came to the same. */
function Checked({ digest: { promised, matches } }: { digest: CheckedDigest }) {
  return (
    <p class="checked">
      <span class="fine">{review.digest}</span> <Digest value={promised} />{' '}
      <Chip tone={matches ? 'good' : 'bad'}>
        {matches ? review.digestMatches : review.digestDiffers}
      </Chip>
    </p>
  );
}
