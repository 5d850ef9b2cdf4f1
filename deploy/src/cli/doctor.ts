import { readFileSync } from 'node:fs';
import { createOwnerPool, databaseExposure } from '@countersign/database';
import { parse } from 'yaml';
import type { Command } from 'commander';
import { checkDatabase } from '../doctor/database.js';
import { findingsText } from '../doctor/finding.js';
import type { Finding } from '../doctor/finding.js';
import { checkRunning } from '../doctor/running.js';
import { checkValues } from '../doctor/values.js';
import { PlainError } from '../plain-error.js';
import { databaseUrl } from './database-of.js';

interface DoctorFlags {
  origin?: string;
  values?: string;
  database?: boolean;
}

const HELP = `
Checks docs/hardening.md as far as a program can, and prints pass, warn or fail with a remedy. It changes nothing and prints
no secret. Exit code 1 if anything fails.

  countersign doctor --origin https://review.example
  helm get values countersign --all -o yaml | countersign doctor --values -
  DATABASE_URL_FILE=owner-url countersign doctor --database`;

export function addDoctorCommand(program: Command): void {
  program
    .command('doctor')
    .description(
      'check a running service, its database, or values of the chart against the hardening checklist',
    )
    .option('--origin <origin>', 'exact origin of a running service')
    .option('--values <file>', 'values of the chart as YAML or JSON; - reads standard input')
    .option('--database', 'the database that DATABASE_URL names, as its owner')
    .addHelpText('after', HELP)
    .action(doctor);
}

async function doctor({ origin, values, database }: DoctorFlags): Promise<void> {
  const findings: Finding[] = [];
  if (values !== undefined) findings.push(...checkValues(readValues(values)));
  if (origin !== undefined) findings.push(...(await checkRunning(exact(origin), Date.now())));
  if (database) findings.push(...(await ownDatabase()));
  if (findings.length === 0) {
    throw new PlainError(
      'Name the things to check: --origin, --values, --database, or several of them.',
    );
  }
  console.log(findingsText(findings));
  if (findings.some(({ grade }) => grade === 'fail')) process.exitCode = 1;
}

function readValues(file: string): Readonly<Record<string, unknown>> {
  let values: unknown;
  try {
    values = parse(readFileSync(file === '-' ? 0 : file, 'utf8'));
  } catch (error) {
    throw new PlainError(`${file} cannot be read as YAML: ${(error as Error).message}`);
  }
  if (typeof values !== 'object' || values === null || Array.isArray(values)) {
    throw new PlainError(`${file} holds no values: expected a map, as of \`helm get values\`.`);
  }
  return values as Readonly<Record<string, unknown>>;
}

function exact(origin: string): string {
  if (URL.canParse(origin) && new URL(origin).origin === origin) return origin;
  throw new PlainError(`${origin} is no origin: expected one such as https://review.example.`);
}

async function ownDatabase(): Promise<Finding[]> {
  const url = databaseUrl();
  if (url === undefined) {
    throw new PlainError('DATABASE_URL is not set: name the database as its owner.');
  }
  const pool = createOwnerPool({ url, max: 1, application: 'countersign-doctor' });
  try {
    return checkDatabase(await databaseExposure(pool));
  } finally {
    await pool.end();
  }
}
