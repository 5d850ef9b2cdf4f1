/** Targets that an installation runs, as `[name, row]`: all but those for development. */
export function installed(table) {
  return Object.entries(table).filter(([, row]) => row.installed !== 'never');
}
