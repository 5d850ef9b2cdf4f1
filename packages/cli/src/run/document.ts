import type { Proposal } from './proposal.js';

/** What is not seen, or turns the direction of the text around it, and what would end the line. */
const UNSEEN = /[\p{C}\p{Zl}\p{Zp}\u115F\u1160\u3164\uFFA0\u2800]|(?! )\p{Zs}/gu;
const PLAIN = /^[\w@%+=:,./-]+$/;

/** A word as a reader can tell it from its neighbours. */
export function shown(word: string): string {
  return PLAIN.test(word) ? word : seen(JSON.stringify(word));
}

/** A text without characters that are not seen. */
export function seen(text: string): string {
  return text
    .replaceAll(UNSEEN, (character) => `\\u{${(character.codePointAt(0) as number).toString(16)}}`)
    .replaceAll('`', String.raw`\u{60}`);
}

/** The text that people read: their own introduction, and the command exactly. */
export function documentOf(introduction: string, proposal: Proposal): string {
  const { argv, cwd, program, files, variables, nonzero, probe } = proposal;
  const code = (text: string) => `    ${text}`;
  const section = (title: string, lines: readonly string[]) =>
    lines.length === 0 ? [] : ['', `## ${title}`, '', ...lines.map(code)];
  return [
    introduction.trimEnd(),
    ...section('Command', [argv.map(shown).join(' ')]),
    ...section('Folder', [shown(cwd)]),
    ...section('Program', [`${shown(program.path)}  ${program.digest}`]),
    ...section(
      'Files',
      files.map(({ path, digest }) => `${shown(path)}  ${digest}`),
    ),
    ...section(
      'Variables, by the digests of their values',
      variables.map(({ name, digest }) => `${shown(name)}  ${digest}`),
    ),
    ...section('A code other than 0 counts as', [nonzero]),
    ...section('Asked whether it happened', probe === null ? [] : [shown(probe)]),
    '',
  ].join('\n');
}
