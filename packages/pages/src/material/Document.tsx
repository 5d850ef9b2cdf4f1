import { piecesOf } from '@countersign/verifier-page/characters';
import { useState } from 'preact/hooks';

import { useKeys } from '../parts/keys.js';
import { Switch } from '../parts/Switch.js';
import { useReading } from '../reading/use-reading.js';
import { review } from '../strings/review.js';
import { DocumentView } from './DocumentView.js';
import type { MaterialStore } from './material.js';

type View = 'reading' | 'exact';
const KEY = 'countersign.document-view';

/** The view that this person chose last, in this browser. */
function chosenBefore(): View | null {
  const kept = localStorage.getItem(KEY);
  return kept === 'reading' || kept === 'exact' ? kept : null;
}

/**
 * The document in two views of the same text: as it is meant to be read, where it is short and laid out, and exactly as the
 * digest has it. A text with characters that hide or turn others opens exactly.
 */
export function Document({ store, text }: { store: MaterialStore; text: string | null }) {
  const readable = useReading(text);
  const [chosen, setChosen] = useState<View | null>(null);
  const hidden = text === null ? 0 : piecesOf(text).filter(({ kind }) => kind === 'mark').length;
  const usual =
    !readable?.reading.structured || hidden > 0 ? 'exact' : (chosenBefore() ?? 'reading');
  const view = readable === null ? 'exact' : (chosen ?? usual);
  const choose = (next: View) => {
    setChosen(next);
    try {
      localStorage.setItem(KEY, next);
    } catch {
      // Without storage it is chosen for this page alone.
    }
  };
  useKeys({ e: () => readable && choose(view === 'exact' ? 'reading' : 'exact') });
  return (
    <>
      {readable !== null && (
        <div class="row document-views">
          <Switch
            label={review.documentViews}
            chosen={view}
            onChoose={choose}
            choices={[
              ['reading', review.readingView],
              ['exact', review.exactText],
            ]}
          />
          {hidden > 0 && <span class="chip warning">{review.hiddenCharacters(hidden)}</span>}
        </div>
      )}
      <p class="fine no-print">{view === 'reading' ? review.readingLead : review.documentLead}</p>
      {view === 'reading' && readable !== null ? (
        <>
          <readable.ReadingView reading={readable.reading} />
          <div class="print-only">
            <DocumentView store={store} text={text} />
          </div>
        </>
      ) : (
        <DocumentView store={store} text={text} />
      )}
    </>
  );
}
