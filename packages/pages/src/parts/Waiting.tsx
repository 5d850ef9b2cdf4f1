/**
 * Stands where something is being loaded, and keeps about its place, so that the page does not jump when it is there.
 * `lines` is its usual height in lines of text.
 */
export function Waiting({ says, lines = 6 }: { says: string; lines?: number }) {
  return (
    <div class="waiting" role="status">
      <p>{says}</p>
      <div class="waiting-lines" style={{ height: `${lines * 1.6}rem` }} />
    </div>
  );
}
