/** Values of a statement by the names of its parameters. */
export type Values = Readonly<Record<string, unknown>>;

/** A statement whose parameters have names. */
export interface NamedParameters {
  /** As Postgres takes it, with `$1`, `$2`, … */
  readonly text: string;
  /** Names in the order of the numbers. */
  readonly names: readonly string[];
}

/** A prepared statement. */
export interface Statement extends NamedParameters {
  readonly name: string;
  /** It reads or writes a few rows by their keys, and so may share a batch ({@link ScopedPool.pointQuery}). */
  readonly pointQuery: boolean;
  /** Whose rows it is about: those of the tenant `:tenant`, of all tenants, or of none (decisions/0023). */
  readonly about: 'tenant' | 'all' | 'none';
}

type Options = Partial<Pick<Statement, 'pointQuery' | 'about'>>;

/** A statement, as SQL with named parameters. Fragments know the tenant as `$1`. */
export function statement(
  name: string,
  text: string,
  { pointQuery = false, about = 'tenant' }: Options = {},
): Statement {
  return { name, pointQuery, about, ...compile(text, about === 'tenant' ? ['tenant'] : []) };
}

/** A text of {@link statements} that is about the rows of all tenants, or of none. */
export const acrossTenants = (text: string) => ({ text, about: 'all' }) as const;
export const ofNoTenant = (text: string) => ({ text, about: 'none' }) as const;

/** Statements by their names, each prepared as `prefix.its-name`. A text alone is about one tenant, as in {@link statement}. */
export function statements<Name extends string>(
  prefix: string,
  texts: Readonly<Record<Name, string | (Options & { readonly text: string })>>,
): Readonly<Record<Name, Statement>> {
  const made = Object.entries<string | (Options & { readonly text: string })>(texts).map(
    ([name, of]) => {
      const { text, ...options } = typeof of === 'string' ? { text: of } : of;
      const suffix = name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
      return [name, statement(`${prefix}.${suffix}`, text, options)];
    },
  );
  return Object.fromEntries(made) as Record<Name, Statement>;
}

/** `:name`, and not the cast `::type`. */
const PARAMETER = /(?<![:\w]):([a-z]\w*)/g;

/**
 * Compiles `:name` to `$n`. `first` are the names of `$1`, `$2`, … in this order, by which fragments that are shared between
 * statements know them.
 */
export function compile(text: string, first: readonly string[] = []): NamedParameters {
  const names = [...first];
  const compiled = text.replace(PARAMETER, (_, name: string) => {
    if (!names.includes(name)) names.push(name);
    return `$${names.indexOf(name) + 1}`;
  });
  return { text: compiled, names };
}

/** The values in their order. Throws a TypeError for a name without a value and for a value without a place. */
export function valuesFor(names: readonly string[], values: Values): unknown[] {
  const ordered = names.map((name) => {
    if (values[name] === undefined) throw new TypeError(`the statement has no value for ${name}`);
    return values[name];
  });
  const unused = Object.keys(values).filter((name) => !names.includes(name));
  if (unused.length > 0) throw new TypeError(`the statement has no place for ${unused.join(', ')}`);
  return ordered;
}
