import { useEffect, useId, useRef, useState } from 'preact/hooks';

import { Button } from '../parts/Button.js';
import { review } from '../strings/review.js';

const WAIT_MS = 150;

export interface SearchBarProps {
  readonly label: string;
  readonly search: (text: string) => Promise<{ matches: number }>;
  /** Null where the search leaves only matches to be seen. */
  readonly reveal: ((match: number) => Promise<void>) | null;
}

/**
 * Finds text in documents that are too long for the browser's own search; Enter goes to the next match, Shift and Enter
 * back.
 */
export function SearchBar({ label, search, reveal }: SearchBarProps) {
  const [text, setText] = useState('');
  const [found, setFound] = useState<{ matches: number; at: number } | null>(null);
  const latest = useRef(0);
  const id = useId();

  useEffect(() => {
    const turn = (latest.current += 1);
    if (text === '') {
      setFound(null);
      void search('');
      return;
    }
    const timer = setTimeout(() => {
      void search(text).then(async ({ matches }) => {
        if (latest.current !== turn) return;
        setFound({ matches, at: 0 });
        if (matches > 0) await reveal?.(0);
      });
    }, WAIT_MS);
    return () => clearTimeout(timer);
  }, [text]);

  const step = (by: number) => {
    if (!found || found.matches === 0) return;
    const at = (found.at + by + found.matches) % found.matches;
    setFound({ ...found, at });
    void reveal?.(at);
  };

  return (
    <div class="search" role="search" aria-label={label}>
      <label for={id} class="unseen">
        {label}
      </label>
      <input
        id={id}
        type="search"
        placeholder={label}
        value={text}
        autocomplete="off"
        onInput={(event) => setText(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Enter') return;
          event.preventDefault();
          step(event.shiftKey ? -1 : 1);
        }}
      />
      <span class="fine" role="status">
        {found &&
          (reveal ? review.matches(found.at + 1, found.matches) : review.found(found.matches))}
      </span>
      {reveal && (
        <>
          <Button look="quiet" disabled={!found || found.matches < 2} onClick={() => step(-1)}>
            {review.previous}
          </Button>
          <Button look="quiet" disabled={!found || found.matches < 2} onClick={() => step(1)}>
            {review.next}
          </Button>
        </>
      )}
    </div>
  );
}
