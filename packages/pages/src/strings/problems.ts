/** The words of a refusal: of its problem document, which is in English. */
export function problemWords(
  _code: string,
  title: string,
  detail: string,
): readonly [title: string, detail: string] {
  return [title, detail];
}
