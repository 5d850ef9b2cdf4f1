import { piecesOf } from './characters.js';

/** An element of the page by its id. */
export function find<Found extends HTMLElement>(id: string): Found {
  const found = document.getElementById(id);
  if (found === null) throw new TypeError(`the page has no ${id}`);
  return found as Found;
}

/** A new element. */
export function element<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  attributes: Readonly<Record<string, string>> = {},
  ...children: readonly (Node | string)[]
): HTMLElementTagNameMap[Name] {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

/** Text of a file, never markup: a character that a reader could not see is shown by its name. */
export function visible(text: string): HTMLElement {
  const pieces = piecesOf(text).map((piece) =>
    piece.kind === 'text' ? piece.text : element('span', { class: 'mark' }, piece.label),
  );
  return element('bdi', {}, ...pieces);
}
