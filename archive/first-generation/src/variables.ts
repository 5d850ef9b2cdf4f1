/** Environment variables. */
export type Variables = Readonly<Record<string, string | undefined>>;

export class ConfigurationError extends Error {
  override readonly name = 'ConfigurationError';
}

/** The variables that are set, each read as what its example is. @throws {ConfigurationError} which never quotes a value */
export function read<T extends object>(
  names: Partial<Record<keyof T, string>>,
  examples: T,
  variables: Variables,
): Partial<T> {
  const result: Partial<T> = {};
  for (const field of Object.keys(names) as (keyof T)[]) {
    const name = names[field] as string;
    const value = variables[name];
    if (value === undefined || value === '') continue;
    result[field] = readAs(examples[field], name, value) as T[keyof T];
  }
  return result;
}

export function readList(value: string): string[] {
  return value
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
}

function readAs(example: unknown, name: string, value: string): unknown {
  if (typeof example === 'number') {
    const number = Number(value);
    if (!Number.isFinite(number) || number < 0)
      throw new ConfigurationError(`${name} must be a number.`);
    return number;
  }
  if (typeof example === 'boolean') {
    if (value === 'true' || value === '1') return true;
    if (value === 'false' || value === '0') return false;
    throw new ConfigurationError(`${name} must be true or false.`);
  }
  return value;
}
