import { piecesOf } from '@countersign/verifier-page/characters';

/** Words of others for a list of the browser's own, which shows text only: characters that hide or turn are written out. */
export function plainText(text: string, limit: number): string {
  const shown = text.length > limit ? `${text.slice(0, limit)}…` : text;
  return piecesOf(shown)
    .map((piece) => (piece.kind === 'text' ? piece.text : `[${piece.label}]`))
    .join('');
}
