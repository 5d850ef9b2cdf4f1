import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';

import { Switch } from '../parts/Switch.js';
import { review } from '../strings/review.js';
import { Splitter } from './Splitter.js';

/** How a reader has the parts of a review before them. On narrow screens they are below each other. */
export interface Place {
  /** Document and payload side by side, in this browser. */
  readonly beside: boolean;
  /** Of the app and the payload, the one beside the document. */
  readonly second: 'app' | 'data';
  /** The app has the whole width. */
  readonly full: boolean;
  readonly change: (part: Partial<Omit<Place, 'change'>>) => void;
}

const KEY = 'countersign.side-by-side';

export function usePlace(): Place {
  const [place, setPlace] = useState<Omit<Place, 'change'>>(() => ({
    beside: localStorage.getItem(KEY) === 'yes',
    second: 'app',
    full: false,
  }));
  const change: Place['change'] = (part) => {
    setPlace((before) => ({ ...before, ...part }));
    if (part.beside === undefined) return;
    try {
      localStorage.setItem(KEY, part.beside ? 'yes' : 'no');
    } catch {
      // Without storage it is so for this page alone.
    }
  };
  return { ...place, change };
}

/** The choice of the places; where there is room for one. */
export function Layouts({ place, hasApp }: { place: Place; hasApp: boolean }) {
  return (
    <div class="row layouts no-print">
      {place.beside && hasApp && (
        <Switch
          label={review.besideDocument}
          chosen={place.second}
          onChoose={(second) => place.change({ second })}
          choices={[
            ['app', review.app],
            ['data', review.payload],
          ]}
        />
      )}
      <Switch
        label={review.layout}
        chosen={place.beside ? 'beside' : 'below'}
        onChoose={(chosen) => place.change({ beside: chosen === 'beside' })}
        choices={[
          ['below', review.below],
          ['beside', review.beside],
        ]}
      />
    </div>
  );
}

/** What is read, and where it is decided, with the lines between them that a reader can move. */
export function Workspace(props: {
  readonly place: Place;
  readonly app: ComponentChildren;
  /** Whether the app may have the whole width now. */
  readonly mayBeFull: boolean;
  /** Whether there are a document and a payload. */
  readonly hasMaterial: boolean;
  /** What is read and where it is decided, or the other way round. */
  readonly children: readonly ComponentChildren[];
}) {
  const { place, app, mayBeFull, hasMaterial, children } = props;
  const full = app !== null && place.full && mayBeFull;
  const beside = hasMaterial && place.beside && !full;
  const names = [
    'columns',
    app !== null && 'with-app',
    full && 'full',
    beside && `beside second-${app === null ? 'data' : place.second}`,
  ];
  const [first, last] = children;
  return (
    <div class={names.filter(Boolean).join(' ')}>
      {app}
      {first}
      {beside && (
        <Splitter key="pane" name="pane" label={review.widthOfDocument} usual={36} side="left" />
      )}
      <Splitter
        key="rail"
        name="rail"
        label={review.widthOfDecision}
        usual={beside ? 28 : 38}
        side="right"
      />
      {last}
    </div>
  );
}
