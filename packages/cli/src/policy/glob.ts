/** Whether the text is what the pattern says: `*` any characters, `?` one. Linear in practice; no regular expressions. */
export function isGlob(pattern: string, text: string): boolean {
  const [wanted, given] = [[...pattern], [...text]];
  let [at, from] = [0, 0];
  let star = -1;
  let retry = 0;
  while (from < given.length) {
    if (wanted[at] === '*') {
      star = at++;
      retry = from;
    } else if (at < wanted.length && (wanted[at] === '?' || wanted[at] === given[from])) {
      at++;
      from++;
    } else if (star >= 0) {
      at = star + 1;
      from = ++retry;
    } else {
      return false;
    }
  }
  while (wanted[at] === '*') at++;
  return at === wanted.length;
}
