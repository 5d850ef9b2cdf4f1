/**
 * The parser of Markdown without what renders HTML from its tokens: a fifth of it. Its file makes an instance of its own,
 * which needs that part; everything from there on goes.
 */
export const lexerAlone = {
  name: 'lexer-alone',
  transform(code, id) {
    if (!/[\\/]marked[\\/]lib[\\/]marked\.esm\.js$/.test(id)) return null;
    const localName = (exported) => new RegExp(`(\\w+) as ${exported}\\b`).exec(code)?.[1];
    const end = code.search(new RegExp(`\\bvar \\w+=new ${localName('Marked')};`));
    if (end < 0) this.error('marked is written in another way: leave out its own instance again');
    return { code: `${code.slice(0, end)}export{${localName('Lexer')} as Lexer};`, map: null };
  },
};
