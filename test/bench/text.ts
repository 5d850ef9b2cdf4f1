/** Three digits that say something. */
export function digits(value: number): string {
  if (value >= 100) return value.toFixed(0);
  return value.toFixed(value >= 10 ? 1 : 2);
}

/** Columns side by side: the first one left, the others right, unless `sides` says otherwise. */
export function table(
  rows: readonly (readonly string[])[],
  sides: readonly ('left' | 'right')[] = ['left'],
): string[] {
  const widths = (rows[0] ?? []).map((_, column) =>
    Math.max(...rows.map((row) => (row[column] ?? '').length)),
  );
  return rows.map((row) =>
    row
      .map((cell, column) =>
        sides[column] === 'left'
          ? cell.padEnd(widths[column] as number)
          : cell.padStart(widths[column] as number),
      )
      .join('  ')
      .trimEnd(),
  );
}
