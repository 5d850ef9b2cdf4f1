import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type pg from 'pg';

const FOLDER = join(import.meta.dirname, '../../packages/database');

/**
 * Where schema.prisma and a migrated database differ, a line each; empty when they agree. Both sides are written as plain
 * facts about tables, columns, keys and indexes; a fact on one side only is a difference.
 */
export async function drift(
  pool: pg.Pool,
  schemaFile = join(FOLDER, 'prisma', 'schema.prisma'),
): Promise<string[]> {
  const [declared, actual] = await Promise.all([declaredFacts(schemaFile), actualFacts(pool)]);
  return [
    ...[...declared]
      .filter((fact) => !actual.has(fact))
      .map((fact) => `schema.prisma only: ${fact}`),
    ...[...actual].filter((fact) => !declared.has(fact)).map((fact) => `migrations only: ${fact}`),
  ].sort();
}

/** The output of prisma/tables-generator.mjs: the part of Prisma's DMMF that is read here. */
interface Datamodel {
  models: Model[];
  indexes: Index[];
  text: string;
}
interface Model {
  name: string;
  dbName: string | null;
  fields: Field[];
}
interface Field {
  name: string;
  dbName?: string | null;
  kind: string;
  isRequired: boolean;
  isList: boolean;
  type: string;
  nativeType: [string, string[]] | null;
  default?: boolean | number | string | string[] | { name: string; args: string[] };
  relationFromFields?: string[];
  relationToFields?: string[];
}
interface Index {
  model: string;
  type: 'id' | 'unique' | 'normal';
  dbName?: string;
  fields: { name: string; sortOrder?: 'asc' | 'desc' }[];
}

async function declaredFacts(schemaFile: string): Promise<Set<string>> {
  const { models, indexes, text } = await parseSchema(schemaFile);
  const facts = new Set<string>();
  const modelNamed = new Map(models.map((model) => [model.name, model]));
  const table = (model: Model): string => model.dbName ?? model.name;
  const column = (model: Model, name: string): string =>
    model.fields.find((field) => field.name === name)?.dbName ?? name;
  const columns = (model: Model, names: readonly string[]): string =>
    `(${names.map((name) => column(model, name)).join(', ')})`;

  for (const model of models) {
    for (const field of model.fields) {
      if (field.kind === 'scalar') {
        facts.add(`${table(model)}: column ${column(model, field.name)} ${typeOf(field)}`);
      } else if (field.relationFromFields?.length) {
        const other = modelNamed.get(field.type) as Model;
        const from = columns(model, field.relationFromFields);
        const to = columns(other, field.relationToFields ?? []);
        facts.add(`${table(model)}: foreign key ${from} references ${table(other)} ${to}`);
      }
    }
  }
  for (const index of indexes) {
    const model = modelNamed.get(index.model) as Model;
    const keys = index.fields
      .map((key) => `${column(model, key.name)}${key.sortOrder === 'desc' ? ' desc' : ''}`)
      .join(', ');
    const kind = { id: 'primary key', unique: 'unique', normal: `index ${index.dbName}` };
    facts.add(`${table(model)}: ${kind[index.type]} (${keys})${predicateOf(index, text)}`);
  }
  return facts;
}

/** Prisma's own reading of a schema file, by a generator of ours: there is no other public way in. */
async function parseSchema(schemaFile: string): Promise<Datamodel> {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-schema-'));
  const file = join(folder, 'tables.json');
  const cli = createRequire(import.meta.url).resolve('prisma/build/index.js');
  try {
    await promisify(execFile)(
      process.execPath,
      [cli, 'generate', '--schema', schemaFile, '--generator', 'tables'],
      {
        cwd: FOLDER,
        env: {
          ...process.env,
          TABLES_FILE: file,
          PRISMA_SCHEMA_ENGINE_BINARY: process.execPath,
          CHECKPOINT_DISABLE: '1',
        },
      },
    );
    return JSON.parse(readFileSync(file, 'utf8')) as Datamodel;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const TYPES: Readonly<Record<string, string>> = {
  String: 'text',
  Int: 'integer',
  BigInt: 'bigint',
  Boolean: 'boolean',
  Float: 'double precision',
  Json: 'jsonb',
  Bytes: 'bytea',
  Uuid: 'uuid',
  SmallInt: 'smallint',
  Date: 'date',
};

function typeOf(field: Field): string {
  const [native, args] = field.nativeType ?? [field.type, []];
  const precision = args.length === 0 ? '' : `(${args.join(', ')})`;
  const type = native === 'Timestamptz' ? `timestamp${precision} with time zone` : TYPES[native];
  if (type === undefined) {
    throw new Error(`drift.ts does not know the type of ${field.name}: ${native}`);
  }
  return `${type}${field.isList ? '[]' : ''}${field.isRequired ? ' not null' : ''}${defaultOf(field)}`;
}

function defaultOf({ type, default: value }: Field): string {
  if (value === undefined) return '';
  if (Array.isArray(value)) return ` default '{${value.join(',')}}'::${TYPES[type]}[]`;
  // A BigInt is read as text, and is the bare number in Postgres.
  if (typeof value === 'object') {
    return value.name === 'autoincrement' ? ' identity' : ` default ${value.args[0]}`;
  }
  return type === 'Json' || type === 'String'
    ? ` default '${value}'::${TYPES[type]}`
    : ` default ${value}`;
}

/** The one thing that Prisma does not hand to generators. */
function predicateOf(index: Index, text: string): string {
  if (index.dbName === undefined) return '';
  const found = new RegExp(`map: "${index.dbName}", where: raw\\("([^"]*)"\\)`).exec(text);
  return found === null ? '' : ` where ${found[1]}`;
}

async function actualFacts(pool: pg.Pool): Promise<Set<string>> {
  const { rows } = await pool.query<{ fact: string }>(FACTS);
  return new Set(rows.map((row) => row.fact));
}

const FACTS = `WITH tables AS (
  SELECT c.oid, c.relname FROM pg_class c
  WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p') AND c.relname <> '_prisma_migrations'
)
SELECT t.relname || ': column ' || a.attname || ' ' || format_type(a.atttypid, a.atttypmod)
  || CASE WHEN a.attnotnull THEN ' not null' ELSE '' END
  || CASE WHEN a.attidentity <> '' THEN ' identity' ELSE '' END
  || coalesce(' default ' || pg_get_expr(d.adbin, d.adrelid), '') AS fact
FROM tables t JOIN pg_attribute a ON a.attrelid = t.oid AND a.attnum > 0 AND NOT a.attisdropped
LEFT JOIN pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
UNION ALL
SELECT t.relname || ': ' || CASE WHEN i.indisprimary THEN 'primary key' WHEN i.indisunique THEN 'unique'
    ELSE 'index ' || i.indexrelid::regclass END
  || ' (' || (
    SELECT string_agg(pg_get_indexdef(i.indexrelid, k.place::integer, false)
      || CASE WHEN i.indoption[k.place - 1] & 1 = 1 THEN ' desc' ELSE '' END, ', ' ORDER BY k.place)
    FROM generate_series(1, i.indnkeyatts) AS k (place)
  ) || ')' || coalesce(' where ' || pg_get_expr(i.indpred, i.indrelid), '')
FROM tables t JOIN pg_index i ON i.indrelid = t.oid
UNION ALL
SELECT t.relname || ': foreign key (' || ${columnsOf('k.conrelid', 'k.conkey')} || ') references ' || k.confrelid::regclass
  || ' (' || ${columnsOf('k.confrelid', 'k.confkey')} || ')'
FROM tables t JOIN pg_constraint k ON k.conrelid = t.oid AND k.contype = 'f'`;

function columnsOf(table: string, numbers: string): string {
  return `(SELECT string_agg(a.attname, ', ' ORDER BY n.place) FROM unnest(${numbers}) WITH ORDINALITY AS n (number, place)
    JOIN pg_attribute a ON a.attrelid = ${table} AND a.attnum = n.number)`;
}
