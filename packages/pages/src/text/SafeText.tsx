import { piecesOf } from '@countersign/verifier-page/characters';
import { useState } from 'preact/hooks';

import { shared } from '../strings/shared.js';

/**
 * Text of other people, never markup, with every control, bidirectional, invisible and tag character made visible. Shown in
 * an isolate of its own, so that it cannot reverse the text beside it. Beyond `limit` characters the rest shows on demand.
 */
export function SafeText({ text, limit = Infinity }: { text: string; limit?: number }) {
  const [whole, setWhole] = useState(false);
  const cut = !whole && text.length > limit;
  return (
    <bdi class="safe-text">
      <Pieces text={cut ? text.slice(0, cutAt(text, limit)) : text} />
      {cut && (
        <button type="button" class="link-button" onClick={() => setWhole(true)}>
          {shared.more(text.length - limit)}
        </button>
      )}
    </bdi>
  );
}

/** The same without an element around it, for callers with their own. */
export function Pieces({ text }: { text: string }) {
  return (
    <>
      {piecesOf(text).map((piece, place) =>
        piece.kind === 'text' ? (
          piece.text
        ) : (
          <span key={place} class="mark" title={`U+${piece.code.toString(16).toUpperCase()}`}>
            {piece.label}
          </span>
        ),
      )}
    </>
  );
}

/** Never between the halves of one character. */
function cutAt(text: string, limit: number): number {
  const last = text.charCodeAt(limit - 1);
  return last >= 0xd800 && last < 0xdc00 ? limit - 1 : limit;
}
