/** Where a value stands in a JSON text without white space, in bytes. */
export interface Span {
  readonly path: string;
  readonly from: number;
  readonly to: number;
}

/** The values at some JSON Pointers. */
export function spansOf(text: string, pointers: readonly string[]): Span[] {
  const wanted = new Set(pointers);
  return allSpans(text).filter(({ path }) => wanted.has(path));
}

/** Every value of the text, those inside of a value before it. */
export function allSpans(text: string): Span[] {
  const found: Span[] = [];
  let i = 0;

  function string(): string {
    const start = i;
    for (i += 1; text[i] !== '"'; i += 1) if (text[i] === '\\') i += 1;
    i += 1;
    return JSON.parse(text.slice(start, i)) as string;
  }

  function value(path: string): void {
    const start = i;
    if (text[i] === '{' || text[i] === '[') {
      const list = text[i] === '[';
      i += 1;
      for (let number = 0; text[i] !== '}' && text[i] !== ']'; number += 1) {
        const name = list ? String(number) : string();
        if (!list) i += 1;
        value(`${path}/${name}`);
        if (text[i] === ',') i += 1;
      }
      i += 1;
    } else if (text[i] === '"') {
      string();
    } else {
      while (i < text.length && !',]}'.includes(text[i] as string)) i += 1;
    }
    found.push({ path, from: start, to: i });
  }

  value('');
  // From letters to bytes, in one pass over the edges.
  const edges = [...new Set(found.flatMap(({ from, to }) => [from, to]))].sort((a, b) => a - b);
  const bytes = new Map<number, number>();
  let last = 0;
  let offset = 0;
  for (const edge of edges) {
    offset += Buffer.byteLength(text.slice(last, edge));
    last = edge;
    bytes.set(edge, offset);
  }
  return found.map(({ path, from, to }) => ({
    path,
    from: bytes.get(from) as number,
    to: bytes.get(to) as number,
  }));
}
