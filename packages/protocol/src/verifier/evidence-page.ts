// Evidence as a page (docs/verify.md): one HTML file that carries the JSON document in a script element.

/** The element that carries the document; its content is JSON in which `<` is written `\u003c`. */
export const EVIDENCE_ELEMENT = {
  open: '<script type="application/json" id="evidence">',
  close: '</script>',
} as const;

/** JSON text as it stands in the page: nothing in it can end the element. */
export function embedded(json: string): string {
  return json.replaceAll('<', '\\u003c');
}

/** The page with a document in it: `template` has the empty element once. */
export function evidencePage(template: string, json: string): string {
  const { open, close } = EVIDENCE_ELEMENT;
  return template.replace(open + close, () => open + embedded(json) + close);
}

const ESCAPE = /\\(?:u003c|[^])/g;

/** The opposite of {@link embedded}: `\u003c` is turned back, an escaped backslash before `u003c` is not. */
export function extracted(content: string): string {
  return content.replace(ESCAPE, (escape) => (escape === '\\u003c' ? '<' : escape));
}

export type PageReading = { readonly json: string } | { readonly fault: string };

/** Whether the bytes begin as a page does: JSON never begins with `<`. */
export function isPage(bytes: Uint8Array): boolean {
  let at = 0;
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) at = 3;
  while (at < bytes.length && [0x20, 0x09, 0x0a, 0x0d].includes(bytes[at] as number)) at += 1;
  return bytes[at] === 0x3c;
}

/** Finds the one document in a page; the page around it is not interpreted. */
export function readPage(bytes: Uint8Array): PageReading {
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return { fault: 'It is a page that is not UTF-8.' };
  }
  const { open, close } = EVIDENCE_ELEMENT;
  const start = text.indexOf(open);
  if (start < 0) return { fault: 'It is a page without evidence in it.' };
  if (text.includes(open, start + 1)) {
    return {
      fault: 'It is a page with two documents in it, so it does not say which one it shows.',
    };
  }
  const end = text.indexOf(close, start);
  if (end < 0) return { fault: 'It is a page whose evidence does not end: it was cut off.' };
  return { json: extracted(text.slice(start + open.length, end)) };
}
