import { APPROVAL_PROFILES } from '@countersign/client/approvals';
import { create, keyOf } from '@countersign/client/node';
import type { Client, JsonObject, JsonValue, RequestInput } from '@countersign/client/node';
import { Option } from 'commander';
import type { Command } from 'commander';

import { UsageError } from '../exits.js';
import { bytesOf, jsonOf, textOf } from '../files.js';
import { reviewOf } from '../review.js';
import { newTerminal } from '../terminal.js';
import { WAIT_OPTION, interruptions } from '../waiting.js';
import { checkTrust, clientOf } from '../service.js';
import {
  APPROVALS_OPTION,
  CONNECTION_OPTION,
  JSON_OPTION,
  REVIEW_OPTION,
  ROUTE_OPTION,
} from './options.js';
import { finish } from './finish.js';

interface AskOptions {
  readonly connection?: string;
  readonly route?: string;
  readonly approvals?: true;
  readonly summary: string;
  readonly document: string;
  readonly payload?: string;
  readonly schema?: string;
  readonly artefact?: string;
  readonly key?: string;
  readonly reviewWithin?: number;
  readonly wait?: number;
  readonly json?: true;
}

const HELP = `
Prints the id of the request and the review link at once, on stderr, and the reviewer's answer, verified, as JSON on stdout.

  countersign ask --route review --summary "May this sentence go out?" --document sentence.md

A reviewer's answer fits the schema; without --schema it is a note that may be empty.`;

export function addAskCommand(program: Command): void {
  program
    .command('ask')
    .description('ask people a question, and wait for their answer')
    .addOption(CONNECTION_OPTION())
    .addOption(ROUTE_OPTION())
    .addOption(APPROVALS_OPTION())
    .requiredOption('--summary <text>', 'one line for lists and mails')
    .requiredOption(
      '--document <file>',
      'the text that people read, in Markdown; - is standard input',
    )
    .option('--payload <file>', 'JSON that apps and programs read')
    .option('--schema <file>', 'JSON Schema of the answer')
    .option(
      '--artefact <file>',
      'the file that is decided about, by its digest; otherwise the document',
    )
    .addOption(REVIEW_OPTION())
    .addOption(
      new Option(
        '--key <text>',
        'calls with the same key ask once: give one that a repeated job has too',
      ),
    )
    .addOption(WAIT_OPTION())
    .addOption(JSON_OPTION())
    .addHelpText('after', HELP)
    .action(ask);
}

async function ask(options: AskOptions): Promise<void> {
  const terminal = newTerminal();
  const client = await clientOf(options);
  const body = inputOf(options);
  await checkTrust(client, options, terminal);
  const { request, review_link } = await client.call(create, { body, ...keyFor(client, options) });
  const interrupted = interruptions();
  terminal.say(`Asked: ${request.id}\nReview link: ${terminal.strong(review_link)}`);
  await finish({ client, id: request.id, goal: 'decided', options, terminal, interrupted });
}

function keyFor(client: Client, { key }: AskOptions): { key?: string } {
  if (key === undefined) return {};
  return { key: keyOf('ask', client.tenant ?? '', client.producer ?? '', key) };
}

function inputOf(options: AskOptions): RequestInput {
  const { route, summary, artefact, payload, schema, reviewWithin, approvals } = options;
  if (route === undefined)
    throw new UsageError(
      'Name the route with --route, or in COUNTERSIGN_ROUTE: its reviewers decide.',
    );
  const document = textOf('--document', options.document);
  const shape = schema === undefined ? undefined : jsonOf('--schema', schema);
  if (shape !== undefined && (typeof shape !== 'object' || shape === null || Array.isArray(shape)))
    throw new UsageError(`--schema ${schema}: it is no JSON object.`);
  return reviewOf({
    ...{ route, summary, document, reviewSeconds: reviewWithin },
    profiles: approvals === true ? APPROVAL_PROFILES : {},
    payload: payload === undefined ? {} : (jsonOf('--payload', payload) as JsonValue),
    schema: shape as JsonObject | undefined,
    artefact: artefact === undefined ? undefined : bytesOf('--artefact', artefact),
  });
}
