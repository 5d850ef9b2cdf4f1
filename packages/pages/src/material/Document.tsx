import { piecesOf } from '@countersign/verifier-page/characters';
import { useState } from 'preact/hooks';

import { useKeys } from '../parts/keys.js';
import { lazily } from '../parts/lazily.js';
import { Switch } from '../parts/Switch.js';
import { useReading } from '../reading/use-reading.js';
import { review } from '../strings/review.js';
import { DocumentView } from './DocumentView.js';
import type { MaterialStore } from './material.js';

const { Component: ReadingView } = lazily(
  async () => (await import('../reading/ReadingView.js')).ReadingView,
);

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
  const reading = useReading(text);
  const [chosen, setChosen] = useState<View | null>(null);
  const hidden = text === null ? 0 : piecesOf(text).filter(({ kind }) => kind === 'mark').length;
  const usual = !reading?.structured || hidden > 0 ? 'exact' : (chosenBefore() ?? 'reading');
  const view = reading === null ? 'exact' : (chosen ?? usual);
  const choose = (next: View) => {
    setChosen(next);
    try {
      localStorage.setItem(KEY, next);
    } catch {
      // Without storage it is chosen for this page alone.
    }
  };
  useKeys({ e: () => reading && choose(view === 'exact' ? 'reading' : 'exact') });
  return (
    <>
      {reading !== null && (
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
      {view === 'reading' && reading !== null ? (
        <>
          <ReadingView reading={reading} />
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
