// Every sign with which Markdown begins something, and the runs of spaces of a text that is lined up by them.
const SIGNS = /[*_`[<>|~#=\\\t]| {3}|^\s*(?:[-+]|\d+[.)])/m;

/** Whether a document can be laid out at all: the parser is loaded for no other one. */
export function mayBeLaidOut(text: string): boolean {
  return SIGNS.test(text);
}
