import { Lexer } from 'marked';
import type { MarkedToken, Token, Tokens } from 'marked';

/** A stretch of a line. A link keeps its words and its target, both as text; nothing of it can be followed. */
export type Inline =
  | { readonly kind: 'text' | 'code'; readonly text: string }
  | { readonly kind: 'strong' | 'emphasis' | 'deleted'; readonly of: readonly Inline[] }
  | { readonly kind: 'link' | 'image'; readonly of: readonly Inline[]; readonly target: string }
  | { readonly kind: 'break' };

export type Block =
  | { readonly kind: 'heading'; readonly level: number; readonly of: readonly Inline[] }
  | { readonly kind: 'paragraph'; readonly of: readonly Inline[] }
  /** As it is in the text, with its spaces and line breaks. */
  | { readonly kind: 'exact'; readonly text: string; readonly language: string }
  | { readonly kind: 'quote'; readonly of: readonly Block[] }
  | {
      readonly kind: 'list';
      readonly start: number | null;
      readonly items: readonly {
        readonly checked: boolean | null;
        readonly of: readonly Block[];
      }[];
    }
  | {
      readonly kind: 'table';
      readonly head: readonly (readonly Inline[])[];
      readonly align: readonly ('left' | 'center' | 'right' | null)[];
      readonly rows: readonly (readonly (readonly Inline[])[])[];
    }
  | { readonly kind: 'rule' };

export interface Reading {
  readonly blocks: readonly Block[];
  /** Something of it is laid out: a heading, list, table or code, and not paragraphs alone. */
  readonly structured: boolean;
}

/** Deeper quotes and lists are shown as they are in the text. */
const DEEPEST = 12;

/**
 * A document in Markdown as nodes of our own. Markup in it stays text, as does everything that the parser does not know: no
 * word of the document is left out.
 */
export function readingOf(text: string): Reading {
  let blocks: Block[];
  try {
    blocks = blocksOf(Lexer.lex(text, { gfm: true, breaks: true }), 0);
  } catch {
    // Nested more deeply than the parser can follow.
    blocks = [exact(text)];
  }
  return { blocks, structured: blocks.some(({ kind }) => kind !== 'paragraph' && kind !== 'rule') };
}

function blocksOf(tokens: readonly Token[], depth: number): Block[] {
  return (tokens as readonly MarkedToken[]).flatMap((token) => blockOf(token, depth) ?? []);
}

/** A text whose columns were lined up by spaces. */
const ALIGNED = /\S {3,}\S.*\n.*\S {2,}\S|\n {3,}\S/;

function exact(text: string, language = ''): Block {
  return { kind: 'exact', text: text.replace(/\n+$/, ''), language };
}

function blockOf(token: MarkedToken, depth: number): Block | null {
  if (depth > DEEPEST) return exact(token.raw);
  switch (token.type) {
    case 'space':
      return null;
    case 'heading':
      return { kind: 'heading', level: token.depth, of: inlines(token.tokens) };
    case 'paragraph':
      if (ALIGNED.test(token.raw)) return exact(token.raw);
      return { kind: 'paragraph', of: inlines(token.tokens) };
    case 'text':
      return { kind: 'paragraph', of: token.tokens ? inlines(token.tokens) : words(token.text) };
    case 'code':
      return exact(token.text, token.lang);
    case 'blockquote':
      return { kind: 'quote', of: blocksOf(token.tokens, depth + 1) };
    case 'list':
      return listOf(token, depth);
    case 'table':
      return tableOf(token);
    case 'hr':
      return { kind: 'rule' };
    default:
      // Among them HTML, and definitions of links.
      return exact(token.raw);
  }
}

function listOf({ ordered, start, items }: Tokens.List, depth: number): Block {
  return {
    kind: 'list',
    start: ordered && start !== '' ? start : null,
    items: items.map(({ task, checked, tokens }) => ({
      checked: task ? checked === true : null,
      of: blocksOf(
        tokens.filter(({ type }) => type !== 'checkbox'),
        depth + 1,
      ),
    })),
  };
}

const LETTERS = /[^\p{L}\p{N}]/gu;
const lettersIn = (text: string) => text.replace(LETTERS, '').length;

function tableOf({ header, align, rows, raw }: Tokens.Table): Block {
  // The parser passes over cells beyond the last column.
  const kept = [header, ...rows].flat().reduce((sum, { text }) => sum + lettersIn(text), 0);
  if (kept !== lettersIn(raw)) return exact(raw);
  const cells = (row: readonly Tokens.TableCell[]) => row.map(({ tokens }) => inlines(tokens));
  return { kind: 'table', head: cells(header), align, rows: rows.map(cells) };
}

const targetOf = ({ href, title }: Tokens.Link | Tokens.Image) =>
  title ? `${href} “${title}”` : href;

const words = (text: string): Inline[] => [{ kind: 'text', text }];

function inlines(tokens: readonly Token[], depth = 0): Inline[] {
  if (depth > DEEPEST) return words(tokens.map(({ raw }) => raw).join(''));
  return (tokens as readonly MarkedToken[]).flatMap((token): Inline | Inline[] => {
    const within = (of: readonly Token[]) => inlines(of, depth + 1);
    switch (token.type) {
      case 'text':
        return token.tokens ? within(token.tokens) : words(token.raw);
      case 'escape':
        return words(token.text);
      case 'codespan':
        return { kind: 'code', text: token.text };
      case 'strong':
        return { kind: 'strong', of: within(token.tokens) };
      case 'em':
        return { kind: 'emphasis', of: within(token.tokens) };
      case 'del':
        return { kind: 'deleted', of: within(token.tokens) };
      case 'link':
        return token.raw === token.href
          ? words(token.raw)
          : { kind: 'link', of: within(token.tokens), target: targetOf(token) };
      case 'image':
        return { kind: 'image', of: words(token.text), target: targetOf(token) };
      case 'br':
        return { kind: 'break' };
      case 'checkbox':
        return [];
      default:
        return words(token.raw);
    }
  });
}
