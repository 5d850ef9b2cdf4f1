/** A JSON Schema of the few keywords that records need (generated/records.ts); the generator refuses others. */
export type Shape = boolean | ShapeRules;

export interface ShapeRules {
  readonly type?: 'object' | 'array' | 'string' | 'integer' | 'number' | 'boolean' | 'null';
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Shape[];
  readonly allOf?: readonly Shape[];
  readonly if?: Shape;
  readonly then?: Shape;
  readonly properties?: Readonly<Record<string, Shape>>;
  /** In place of `type`, `required` and `additionalProperties`: a record that has all its properties but these, and no other. */
  readonly optional?: readonly string[];
  readonly required?: readonly string[];
  readonly additionalProperties?: Shape;
  readonly maxProperties?: number;
  readonly items?: Shape;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly format?: 'date-time' | 'uri';
  readonly minimum?: number;
  readonly maximum?: number;
}

/** How `format` is judged. */
export interface Formats {
  readonly isTimestamp: (text: string) => boolean;
}

const patterns = new Map<string, RegExp>();

/** The JSON Pointer of a value that does not have the shape, or null when all do. */
export function misfit(
  shape: Shape,
  value: unknown,
  formats: Formats,
  pointer = '',
): string | null {
  if (typeof shape === 'boolean') return shape ? null : pointer;
  const of = (other: Shape | undefined) =>
    other === undefined ? null : misfit(other, value, formats, pointer);
  if (!isOfType(shape, value) || !isListed(shape, value)) return pointer;
  for (const each of shape.allOf ?? []) {
    const fault = of(each);
    if (fault !== null) return fault;
  }
  if (shape.if !== undefined && of(shape.if) === null) {
    const fault = of(shape.then);
    if (fault !== null) return fault;
  }
  if (shape.anyOf !== undefined) {
    const faults = shape.anyOf.map(of);
    if (faults.every((fault) => fault !== null)) {
      // The alternative that came furthest says most.
      return faults.reduce((one, other) => (other.length > one.length ? other : one), pointer);
    }
  }
  if (typeof value === 'string') return fitsText(shape, value, formats) ? null : pointer;
  if (typeof value === 'number') return fitsNumber(shape, value) ? null : pointer;
  if (Array.isArray(value)) return itemFault(shape, value, formats, pointer);
  if (typeof value === 'object' && value !== null)
    return memberFault(shape, value as Record<string, unknown>, formats, pointer);
  return null;
}

function isOfType({ type, optional }: ShapeRules, value: unknown): boolean {
  switch (type ?? (optional && 'object')) {
    case undefined:
      return true;
    case 'null':
      return value === null;
    case 'array':
      return Array.isArray(value);
    case 'object':
      return typeof value === 'object' && value !== null && !Array.isArray(value);
    case 'integer':
      return Number.isInteger(value);
    default:
      return typeof value === type;
  }
}

function isListed(shape: ShapeRules, value: unknown): boolean {
  if (shape.const !== undefined && shape.const !== value) return false;
  return shape.enum?.includes(value) ?? true;
}

function fitsText(
  { minLength = 0, maxLength = Infinity, pattern, format }: ShapeRules,
  text: string,
  { isTimestamp }: Formats,
): boolean {
  if (text.length < minLength) return false;
  // Schemas count code points.
  if (text.length > maxLength && [...text].length > maxLength) return false;
  if (format === 'date-time' && !isTimestamp(text)) return false;
  if (format === 'uri' && !URL.canParse(text)) return false;
  if (pattern === undefined) return true;
  const known = patterns.get(pattern) ?? new RegExp(pattern, 'u');
  patterns.set(pattern, known);
  return known.test(text);
}

function fitsNumber({ minimum = -Infinity, maximum = Infinity }: ShapeRules, value: number) {
  return value >= minimum && value <= maximum;
}

function itemFault(
  { items = true, minItems = 0, maxItems = Infinity }: ShapeRules,
  list: readonly unknown[],
  formats: Formats,
  pointer: string,
): string | null {
  if (list.length < minItems || list.length > maxItems) return pointer;
  for (const [at, item] of list.entries()) {
    const fault = misfit(items, item, formats, `${pointer}/${at}`);
    if (fault !== null) return fault;
  }
  return null;
}

function memberFault(
  { properties = {}, maxProperties, optional, ...open }: ShapeRules,
  value: Record<string, unknown>,
  formats: Formats,
  pointer: string,
): string | null {
  const names = Object.keys(value);
  const {
    required = optional ? Object.keys(properties).filter((name) => !optional.includes(name)) : [],
    additionalProperties = optional === undefined,
  } = open;
  if (maxProperties !== undefined && names.length > maxProperties) return pointer;
  for (const name of required) {
    if (!Object.hasOwn(value, name)) return `${pointer}/${escaped(name)}`;
  }
  for (const name of names) {
    const shape = Object.hasOwn(properties, name)
      ? (properties[name] as Shape)
      : additionalProperties;
    const fault = misfit(shape, value[name], formats, `${pointer}/${escaped(name)}`);
    if (fault !== null) return fault;
  }
  return null;
}

/** A member's name in a JSON Pointer (RFC 6901). */
export function escaped(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1');
}
