import { auditExport, cancel, status as statusOperation } from '@countersign/client/node';
import type { Goal } from '@countersign/client/node';
import { Option } from 'commander';
import type { Command } from 'commander';

import { printJson } from '../output.js';
import { reportOf, sentenceOf } from '../report.js';
import { clientOf } from '../service.js';
import { newTerminal } from '../terminal.js';
import { WAIT_OPTION } from '../waiting.js';
import { finish } from './finish.js';
import { CONNECTION_OPTION, JSON_OPTION } from './options.js';

interface RequestOptions {
  readonly connection?: string;
  readonly json?: true;
}
interface WaitOptions extends RequestOptions {
  readonly for: Goal;
  readonly wait?: number;
}

const ID = ['<id>', 'the id of the request, as it was printed when it was asked'] as const;

/** The commands about one request. */
export function addRequestCommands(program: Command): void {
  program
    .command('wait')
    .description('wait for the decision on a request')
    .argument(...ID)
    .addOption(
      new Option('--for <goal>', 'until it is decided, may be acted on, or has its outcome')
        .choices(['decided', 'available', 'settled'])
        .default('decided'),
    )
    .addOption(WAIT_OPTION())
    .addOption(CONNECTION_OPTION())
    .addOption(JSON_OPTION())
    .action(async (id: string, options: WaitOptions) => {
      const client = await clientOf(options);
      await finish({ client, id, goal: options.for, options, terminal: newTerminal() });
    });

  program
    .command('status')
    .description('print where a request is')
    .argument(...ID)
    .addOption(CONNECTION_OPTION())
    .addOption(JSON_OPTION())
    .action(async (id: string, options: RequestOptions) => {
      const client = await clientOf(options);
      const status = await client.call(statusOperation, { id });
      if (options.json === true) return printJson(reportOf(status));
      const { request, review_link } = status;
      process.stdout.write(`${request.summary}\n${sentenceOf(status)}\n${review_link}\n`);
    });

  program
    .command('cancel')
    .description('withdraw a request that is not decided yet')
    .argument(...ID)
    .addOption(CONNECTION_OPTION())
    .addOption(JSON_OPTION())
    .action(async (id: string, options: RequestOptions) => {
      const client = await clientOf(options);
      const status = await client.call(cancel, { id, body: {} });
      if (options.json === true) printJson(reportOf(status));
      else newTerminal().say(sentenceOf(status));
    });

  program
    .command('export')
    .description('print the audit export of a request, for `countersign verify`')
    .argument(...ID)
    .addOption(CONNECTION_OPTION())
    .action(async (id: string, options: RequestOptions) => {
      const client = await clientOf(options);
      process.stdout.write(`${JSON.stringify(await client.call(auditExport, { id }))}\n`);
    });
}
