export type Grade = 'pass' | 'warn' | 'fail';

/** The result of one check. */
export interface Finding {
  readonly grade: Grade;
  /** The checked condition, as a statement that should hold. */
  readonly title: string;
  /** The observation and the remedy; null for a pass. */
  readonly remedy: string | null;
}

/** A finding of that grade unless `holds`. */
export function check(
  title: string,
  holds: boolean,
  otherwise: Exclude<Grade, 'pass'>,
  remedy: string,
): Finding {
  return holds ? { grade: 'pass', title, remedy: null } : { grade: otherwise, title, remedy };
}

/** One finding a line, its remedy below it, and the counts at the end. */
export function findingsText(findings: readonly Finding[]): string {
  const lines = findings.flatMap(({ grade, title, remedy }) => [
    `${grade.padEnd(4)}  ${title}`,
    ...(remedy === null ? [] : [`      ${remedy}`]),
  ]);
  const count = (of: Grade) => findings.filter(({ grade }) => grade === of).length;
  return [...lines, '', `${count('pass')} pass, ${count('warn')} warn, ${count('fail')} fail`].join(
    '\n',
  );
}
