import { fileAnchorStore } from '@countersign/client/node';
import type { TrustManifest } from '@countersign/client/node';
import { verdictText, verifyExport } from '@countersign/client/export';
import { Option } from 'commander';
import type { Command } from 'commander';

import { bytesOf, jsonOf } from '../files.js';
import { printValue } from '../output.js';
import { trustIn } from '../service.js';
import { CONNECTION_OPTION, JSON_OPTION } from './options.js';

/** As `countersign verify` of the service exits, whose code this is. */
const EXIT = { holds: 0, fails: 1, unreadable: 2, incomplete: 3 } as const;

interface VerifyOptions {
  readonly connection?: string;
  readonly trust?: string;
  readonly store?: string;
  readonly tenant?: string;
  readonly audience?: string;
  readonly identity?: string;
  readonly nonce?: string;
  readonly binding?: string;
  readonly details?: true;
  readonly json?: true;
}

const HELP = `
Works without a network. The trust manifest is the one that the connection file pins, or --trust.

Exit codes:
  0  holds
  1  fails: something in the file is not what it claims to be
  2  the file, the manifest or the command line cannot be read; there is no verdict
  3  incomplete: no check fails, but the service alone vouches for its ledger, as without --store`;

export function addVerifyCommand(program: Command): void {
  program
    .command('verify')
    .description('verify a file of evidence, such as an audit export, offline')
    .argument('<file>', 'the file; - is standard input')
    .addOption(CONNECTION_OPTION())
    .addOption(new Option('--trust <file>', 'or a trust manifest').conflicts('connection'))
    .option('--store <dir>', 'folder of the anchor store’s copy, to compare checkpoints with')
    .option('--tenant <name>', 'expected tenant')
    .option('--audience <id>', 'expected audience: the id of your producer')
    .option('--identity <id>', 'your execution identity')
    .option('--nonce <nonce>', 'the nonce of your call that was admitted')
    .option('--binding <digest>', 'digest of the execution')
    .option('--details', 'print every check too')
    .addOption(JSON_OPTION())
    .addHelpText('after', HELP)
    .action((file: string, options: VerifyOptions) => {
      const { tenant, audience, identity, nonce, binding, store } = options;
      const trust =
        options.trust === undefined
          ? trustIn(options)
          : (jsonOf('--trust', options.trust) as TrustManifest);
      const verdict = verifyExport(bytesOf('verify', file), {
        trust,
        expected: {
          now: Date.now(),
          ...(tenant !== undefined && { tenant }),
          ...(audience !== undefined && { audience }),
          ...(identity !== undefined && { executionIdentity: identity }),
          ...(nonce !== undefined && { nonce }),
          ...(binding !== undefined && { bindingDigest: binding }),
        },
        copies: store === undefined ? null : fileAnchorStore(store),
      });
      if (options.json === true) printValue(verdict);
      else process.stdout.write(`${verdictText(verdict, { details: options.details ?? false })}\n`);
      process.exitCode = verdict.kind === null ? EXIT.unreadable : EXIT[verdict.verdict];
    });
}
