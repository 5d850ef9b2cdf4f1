/** The kind of a row of the payload. `text` is a piece of a long string, `group` a stretch of a long array or object. */
export type RowKind =
  | 'object'
  | 'array'
  | 'string'
  | 'number'
  | 'boolean'
  | 'null'
  | 'group'
  | 'text';

/** One visible line of the payload, small enough to be sent between threads. */
export interface TreeRow {
  /** Never changes and never comes again for another place of the same payload. */
  readonly id: number;
  readonly depth: number;
  /** Member name, index or range; null at the root and for a piece of a string. */
  readonly label: string | null;
  readonly kind: RowKind;
  /** The value, or the beginning of it; the first plain values of a closed object or array. */
  readonly preview: string;
  /** Characters that `preview` leaves out. */
  readonly hidden: number;
  /** Parts of an object or array, characters of a string. */
  readonly size: number;
  readonly open: boolean | null;
  readonly position: number;
  readonly siblings: number;
}

interface Node {
  readonly id: number;
  readonly parent: Node | null;
  readonly depth: number;
  readonly label: string | null;
  readonly kind: RowKind;
  readonly value: unknown;
  /** The range of the parent's parts that a group contains. */
  readonly from: number;
  readonly to: number;
  readonly position: number;
  readonly siblings: number;
  children: Node[] | null;
  open: boolean;
}

/** Beyond this, parts are shown in groups of so many: each opens at once. */
const GROUP = 500;
const PREVIEW = 160;
/** Characters of the values that a closed object or array shows. */
const SUMMARY = 80;
const LOOKED_AT = 20;
const PIECE = 120;
export const MATCHES = 10_000;

/** Where a match is: the way down from the root, a part at a time. */
type Way = readonly number[];

/**
 * A JSON value as rows that open and close. It holds as many rows as are open, so that ten megabytes cost as little as ten
 * lines until a reader opens them.
 */
export class PayloadTree {
  private nextId = 0;
  private readonly root: Node;
  private visible: Node[];
  private matches: Way[] = [];

  constructor(value: unknown) {
    this.root = this.node(null, null, value, 0, 0, 0, 1);
    this.visible = [this.root];
    if (this.expandable(this.root)) this.toggle(this.root.id);
  }

  get length(): number {
    return this.visible.length;
  }

  rows(from: number, count: number): TreeRow[] {
    return this.visible.slice(from, from + count).map((node) => this.row(node));
  }

  /** Opens or closes the row with that id; gives its place. */
  toggle(id: number): number {
    const place = this.visible.findIndex((node) => node.id === id);
    const node = this.visible[place];
    if (!node || !this.expandable(node)) return place;
    if (node.open) {
      let end = place + 1;
      while ((this.visible[end]?.depth ?? -1) > node.depth) end += 1;
      this.visible.splice(place + 1, end - place - 1);
      node.open = false;
    } else {
      const shown: Node[] = [];
      this.collect(node, shown);
      this.visible = [
        ...this.visible.slice(0, place + 1),
        ...shown,
        ...this.visible.slice(place + 1),
      ];
      node.open = true;
    }
    return place;
  }

  /** Finds names and values that hold `text`, in document order, at most `MATCHES`; gives their number. */
  search(text: string): number {
    this.matches = [];
    const wanted = text.toLowerCase();
    if (wanted !== '') find(this.root.value, wanted, [], this.matches);
    return this.matches.length;
  }

  /** Opens all rows that hide the match of that number; gives the place of its row. */
  reveal(match: number): number {
    const way = this.matches[match];
    if (!way) return 0;
    let node = this.root;
    for (const step of way) {
      this.ensureOpen(node);
      const inside = this.childrenOf(node).find(({ from, to }) => step >= from && step < to);
      if (!inside) break;
      node = inside;
      if (node.kind === 'group') {
        this.ensureOpen(node);
        node = this.childrenOf(node).find(({ from }) => from === step) ?? node;
      }
    }
    return this.visible.indexOf(node);
  }

  private ensureOpen(node: Node): void {
    if (!node.open && this.expandable(node)) this.toggle(node.id);
  }

  private collect(node: Node, into: Node[]): void {
    for (const child of this.childrenOf(node)) {
      into.push(child);
      if (child.open) this.collect(child, into);
    }
  }

  private expandable({ kind, value, from, to }: Node): boolean {
    if (kind === 'group') return true;
    if (kind === 'object' || kind === 'array') return partsOf(value).length > 0;
    return kind === 'string' && isLong(value as string) && from >= 0 && to >= from;
  }

  private childrenOf(node: Node): Node[] {
    node.children ??= this.makeChildren(node);
    return node.children;
  }

  private makeChildren(node: Node): Node[] {
    if (node.kind === 'string') return this.pieces(node);
    const parts = partsOf(node.value);
    const [from, to] = node.kind === 'group' ? [node.from, node.to] : [0, parts.length];
    if (to - from <= GROUP)
      return parts.slice(from, to).map((part, at) => this.part(node, part, from + at, to - from));
    const groups = Math.ceil(parts.length / GROUP);
    return Array.from({ length: groups }, (_none, at) => {
      const start = at * GROUP;
      const end = Math.min(parts.length, start + GROUP);
      return this.group(node, start, end, at, groups);
    });
  }

  private part(parent: Node, [label, value]: Part, place: number, siblings: number): Node {
    return this.node(parent, label, value, parent.depth + 1, place, place + 1, siblings);
  }

  private group(parent: Node, from: number, to: number, at: number, siblings: number): Node {
    return {
      id: (this.nextId += 1),
      parent,
      depth: parent.depth + 1,
      label: `${from} … ${to - 1}`,
      kind: 'group',
      value: parent.value,
      from,
      to,
      position: at,
      siblings,
      children: null,
      open: false,
    };
  }

  private pieces(parent: Node): Node[] {
    const texts = piecesOfString(parent.value as string);
    return texts.map((text, at) => ({
      id: (this.nextId += 1),
      parent,
      depth: parent.depth + 1,
      label: null,
      kind: 'text',
      value: text,
      from: at,
      to: at + 1,
      position: at,
      siblings: texts.length,
      children: null,
      open: false,
    }));
  }

  private node(
    parent: Node | null,
    label: string | null,
    value: unknown,
    depth: number,
    from: number,
    to: number,
    siblings: number,
  ): Node {
    return {
      id: (this.nextId += 1),
      parent,
      depth,
      label,
      kind: kindOf(value),
      value,
      from,
      to,
      position: from,
      siblings,
      children: null,
      open: false,
    };
  }

  private row(node: Node): TreeRow {
    const { id, depth, label, kind, value, position, siblings } = node;
    const whole =
      kind === 'string' || kind === 'text' ? (value as string) : scalarText(kind, value);
    const preview =
      kind === 'text'
        ? whole
        : kind === 'object' || kind === 'array'
          ? node.open
            ? ''
            : firstValues(value as object)
          : cut(kind === 'string' ? firstLine(whole) : whole);
    return {
      id,
      depth,
      label,
      kind,
      preview,
      hidden: kind === 'string' ? whole.length - preview.length : 0,
      size: sizeOf(node),
      open: this.expandable(node) ? node.open : null,
      position,
      siblings,
    };
  }
}

type Part = readonly [label: string, value: unknown];

function partsOf(value: unknown): readonly Part[] {
  return typeof value === 'object' && value !== null ? Object.entries(value) : [];
}

function kindOf(value: unknown): RowKind {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return typeof value as 'object' | 'string' | 'number' | 'boolean';
}

function sizeOf({ kind, value, from, to }: Node): number {
  if (kind === 'group') return to - from;
  if (kind === 'object' || kind === 'array') return Object.keys(value as object).length;
  return typeof value === 'string' ? value.length : 0;
}

function scalarText(kind: RowKind, value: unknown): string {
  return kind === 'number' || kind === 'boolean' || kind === 'null' ? String(value) : '';
}

/** Some of the plain values among the first parts of an object or array, each with its name. */
function firstValues(value: object): string {
  const named = !Array.isArray(value);
  const shown: string[] = [];
  let left = SUMMARY;
  let looked = 0;
  // No copy of a long list is made for a few of its values.
  for (const name in value) {
    if ((looked += 1) > LOOKED_AT) break;
    const part = (value as Record<string, unknown>)[name];
    if (isComposite(part)) continue;
    const text = firstLine(String(part)).slice(0, SUMMARY);
    const words = named ? `${name.slice(0, SUMMARY)}: ${text}` : text;
    left -= words.length + 2;
    if (left < 0) break;
    shown.push(words);
  }
  return shown.join(', ');
}

function isLong(text: string): boolean {
  return text.length > PREVIEW || text.includes('\n');
}

function firstLine(text: string): string {
  const end = text.indexOf('\n');
  return end < 0 ? text : text.slice(0, end);
}

function cut(text: string): string {
  return text.length <= PREVIEW ? text : text.slice(0, whole(text, PREVIEW));
}

/** The nearest place at or before `end` that does not lie between the halves of one character. */
function whole(text: string, end: number): number {
  const last = text.charCodeAt(end - 1);
  return last >= 0xd800 && last < 0xdc00 ? end - 1 : end;
}

/** A string in pieces of one line each; together they are the string again, line ends aside. */
export function piecesOfString(text: string): string[] {
  const pieces: string[] = [];
  for (const line of text.split('\n')) {
    let from = 0;
    do {
      const end = line.length - from <= PIECE ? line.length : whole(line, from + PIECE);
      pieces.push(line.slice(from, end));
      from = end;
    } while (from < line.length);
  }
  return pieces;
}

function find(value: unknown, wanted: string, way: number[], matches: Way[]): void {
  if (matches.length >= MATCHES) return;
  if (typeof value !== 'object' || value === null) {
    if (String(value).toLowerCase().includes(wanted)) matches.push([...way]);
    return;
  }
  const named = !Array.isArray(value);
  let place = 0;
  for (const [name, part] of Object.entries(value)) {
    way.push(place);
    const inName = named && name.toLowerCase().includes(wanted);
    if (inName && matches.length < MATCHES) matches.push([...way]);
    const before = matches.length;
    find(part, wanted, way, matches);
    // A name and its own plain value are one row.
    if (inName && matches.length > before && !isComposite(part)) matches.pop();
    way.pop();
    place += 1;
  }
}

function isComposite(value: unknown): boolean {
  return typeof value === 'object' && value !== null;
}
