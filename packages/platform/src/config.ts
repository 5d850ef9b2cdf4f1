import { readFileSync } from 'node:fs';
import { z } from 'zod';

/** Environment variables by name; a type's `.describe()` names valid values. */
export type ConfigurationShape = Readonly<Record<string, z.ZodType>>;

export type Configuration<S extends ConfigurationShape> = {
  readonly [Name in keyof S]: z.output<S[Name]>;
};

export interface ConfigurationFault {
  variable: string;
  /** The fault; never the value. */
  wrong: string;
  /** The remedy. */
  remedy: string;
}

/** Everything that is wrong with the environment, at once. */
export class ConfigurationError extends Error {
  override readonly name = 'ConfigurationError';

  constructor(readonly faults: readonly ConfigurationFault[]) {
    const lines = faults.map(({ variable, wrong, remedy }) => `  ${variable} ${wrong}. ${remedy}`);
    super(`The configuration cannot be used:\n${lines.join('\n')}`);
  }
}

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Reads and checks the variables of `shape`. Each may also be given as `<name>_FILE`, the path of a file that holds the
 * value: the way for secrets. An empty value counts as absent. `rules` see a configuration whose parts are right.
 *
 * @throws ConfigurationError with every fault
 */
export function loadConfig<S extends ConfigurationShape>(
  shape: S,
  env: Environment,
  rules: (config: Configuration<S>) => ConfigurationFault[] = () => [],
): Configuration<S> {
  const faults: ConfigurationFault[] = [];
  const config: Record<string, unknown> = {};
  for (const [variable, type] of Object.entries(shape)) {
    const given = readVariable(variable, env);
    if (typeof given === 'object') {
      faults.push(given);
      continue;
    }
    const parsed = type.safeParse(given);
    if (parsed.success) config[variable] = parsed.data;
    else faults.push(faultOf(variable, type, given, parsed.error));
  }
  if (faults.length === 0) faults.push(...rules(config as Configuration<S>));
  if (faults.length > 0) throw new ConfigurationError(faults);
  return config as Configuration<S>;
}

function readVariable(variable: string, env: Environment): string | undefined | ConfigurationFault {
  const direct = env[variable] || undefined;
  const path = env[`${variable}_FILE`] || undefined;
  if (path === undefined) return direct;
  if (direct !== undefined) {
    return {
      variable,
      wrong: `is given twice, also as ${variable}_FILE`,
      remedy: 'Remove one of the two.',
    };
  }
  try {
    return readFileSync(path, 'utf8').replace(/\r?\n$/, '') || undefined;
  } catch (error) {
    const { code = 'unreadable' } = error as NodeJS.ErrnoException;
    return {
      variable: `${variable}_FILE`,
      wrong: `names a file that cannot be read (${code})`,
      remedy: `Make ${path} readable for this process.`,
    };
  }
}

function faultOf(
  variable: string,
  type: z.ZodType,
  given: string | undefined,
  error: z.ZodError,
): ConfigurationFault {
  const remedy = `Set it to ${type.description ?? 'a value of the documented form'}.`;
  if (given === undefined) return { variable, wrong: 'is missing', remedy };
  const [issue] = error.issues;
  const reason = issue?.message.replace(/^Invalid input: /, '') ?? 'not usable';
  return { variable, wrong: `is not right: ${reason}`, remedy };
}

/** `true` or `false`. */
export function flag(): z.ZodType<boolean> {
  return z.enum(['true', 'false']).transform((text) => text === 'true');
}

/** A whole number in decimal digits. */
export function wholeNumber(minimum: number, maximum: number): z.ZodType<number> {
  const message = `expected a whole number from ${minimum} to ${maximum}`;
  return z
    .string()
    .regex(/^\d{1,15}$/, message)
    .transform(Number)
    .refine((value) => value >= minimum && value <= maximum, message);
}

/** Values with commas between them; at least one. */
export function list(): z.ZodType<string[]> {
  return z
    .string()
    .transform((text) => text.split(',').map((part) => part.trim()))
    .refine(
      (parts) => parts.every((part) => part !== ''),
      'expected values with commas between them',
    );
}
