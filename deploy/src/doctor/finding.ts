export type Grade = 'pass' | 'warn' | 'fail';

/** What one check found. */
export interface Finding {
  readonly grade: Grade;
  /** What was checked, as a statement that should hold. */
  readonly title: string;
  /** What was seen and what to do; null for a pass. */
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
