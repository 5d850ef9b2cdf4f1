import { existsSync } from 'node:fs';
import { FSCK_FAULTS, fsck } from '@countersign/database';
import type { FsckFault, FsckResult } from '@countersign/database';
import { CommanderError } from 'commander';
import type { Command } from 'commander';
import { DEFAULT_DATA, dataDirectory } from '../data-directory.js';
import { asOwner } from '../database.js';
import { explain } from '../plain-error.js';
import { loadTrustFile } from '../trust-file.js';
import { openCopies } from './anchor-copies.js';
import { databaseOf } from './database-of.js';

const EXIT = { consistent: 0, inconsistent: 1, unable: 2 } as const;

const HELP = `
Rebuilds every request from the ledger and compares it with the tables; recomputes chain, tree, event feeds,
security logs and checkpoints, and compares them with the anchor store. It reads one moment, changes nothing, and may run beside the
service. It speaks to the database as its owner.

Exit codes:
  0  everything that was looked at agrees; what was not looked at is said
  1  something does not agree: each fault with the places where it was found
  2  the database, the anchor store, the manifest or the command cannot be read; nothing is said about the content`;

interface FsckFlags {
  data?: string;
  database?: string;
  trust?: string;
  store?: string;
  json: boolean;
}

export function addFsckCommand(program: Command): void {
  program
    .command('fsck')
    .description('rebuild everything from the ledger and compare it with the database')
    .option('--data <dir>', 'data directory of an instance that runs here')
    .option('--database <url>', 'postgres://user@host:port/database, instead of DATABASE_URL')
    .option('--trust <file>', 'trust manifest, to verify signatures with')
    .option(
      '--store <store>',
      'the anchor store, to compare checkpoints with: a directory, or s3://bucket/prefix',
    )
    .option('--json', 'print the result as JSON', false)
    .addHelpText('after', HELP)
    .exitOverride((error) => {
      // 1 is a result here.
      throw error.exitCode === 0
        ? error
        : new CommanderError(EXIT.unable, error.code, error.message);
    })
    .action(async (flags: FsckFlags) => {
      try {
        process.exitCode = await check(flags);
      } catch (error) {
        console.error(`countersign: ${explain(error)}`);
        process.exitCode = EXIT.unable;
      }
    });
}

async function check(flags: FsckFlags): Promise<number> {
  const url = flags.database ?? databaseOf(flags).url;
  const own = flags.database === undefined ? ownFiles(flags.data) : {};
  const [trust, store] = [flags.trust ?? own.trust, flags.store ?? own.store];
  const opened = store === undefined ? null : await openCopies(store);
  const options = {
    trust: trust === undefined ? null : loadTrustFile(trust),
    copies: opened?.copies ?? null,
  };
  const begun = performance.now();
  const bar = progressBar();
  try {
    const result = await asOwner(url, 'fsck', (pool) =>
      fsck(pool, { ...options, progress: bar.show }),
    );
    bar.end();
    const seconds = (performance.now() - begun) / 1000;
    const consistent = result.findings.length === 0;
    const unchecked = [
      ...(options.trust === null ? ['signatures, without --trust'] : []),
      ...(options.copies === null ? ['the anchor store, without --store'] : []),
    ];
    if (flags.json) {
      console.log(JSON.stringify({ consistent, ...result, not_checked: unchecked, seconds }));
    } else {
      for (const line of words(result, unchecked, seconds)) console.log(line);
    }
    return consistent ? EXIT.consistent : EXIT.inconsistent;
  } finally {
    bar.end();
    opened?.close();
  }
}

/** The files of an instance of `npm start` beside its database. */
function ownFiles(data = DEFAULT_DATA): { trust?: string; store?: string } {
  if (process.env['DATABASE_URL'] && data === DEFAULT_DATA) return {};
  const [trust, store] = ['trust.json', 'anchor'].map((name) => dataDirectory(data).at(name));
  return {
    ...(trust !== undefined && existsSync(trust) ? { trust } : {}),
    ...(store !== undefined && existsSync(`${store}/checkpoints`) ? { store } : {}),
  };
}

function words(
  { counts, faults, findings }: FsckResult,
  unchecked: readonly string[],
  seconds: number,
): string[] {
  const looked =
    `${counts.entries} entries, ${counts.requests} requests, ${counts.events} events, ${counts.checkpoints} checkpoints, ` +
    `${counts.tiles} tiles, ${counts.treeHeads} checkpoints of trees; ` +
    `${counts.securityEntries} entries of security logs; ` +
    `${counts.signatures} signatures, ${counts.anchors} copies of the anchor store`;
  const names = Object.keys(faults) as FsckFault[];
  return [
    names.length === 0 ? 'CONSISTENT' : 'INCONSISTENT',
    `  ${looked}, in ${seconds.toFixed(1)} s`,
    ...unchecked.map((what) => `  not compared: ${what}`),
    ...names.flatMap((name) => {
      const shown = findings.filter(({ fault }) => fault === name);
      const many = faults[name] ?? 0;
      return [
        `  ${name}: ${FSCK_FAULTS[name]} (${many === 1 ? 'once' : `${many} times`})`,
        ...shown.map(({ tenant, about }) => `    ${tenant}: ${about}`),
        ...(many > shown.length ? [`    … and ${many - shown.length} more`] : []),
      ];
    }),
  ];
}

const WIDTH = 40;
const REDRAW_MS = 100;

/** For a person at a terminal; nothing where the output goes elsewhere. */
function progressBar() {
  const { stderr } = process;
  let drawn = 0;
  let open = false;
  return {
    show(done: number, of: number): void {
      if (!stderr.isTTY || performance.now() - drawn < REDRAW_MS) return;
      drawn = performance.now();
      open = true;
      const part = of === 0 ? 1 : done / of;
      const full = Math.floor(part * WIDTH);
      stderr.write(
        `\r[${'#'.repeat(full)}${' '.repeat(WIDTH - full)}] ${(part * 100).toFixed(0).padStart(3)} %  ${done} of ${of}`,
      );
    },
    end(): void {
      if (open) stderr.write('\r\u001b[K');
      open = false;
    },
  };
}
