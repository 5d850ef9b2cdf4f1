import { execFileSync, spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { chmodSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { newFolder } from '../../support/folder.js';
import type { Instance } from '../../support/instance.js';
import { runCommand } from '../../support/instance.js';

const ROOT = resolve(__dirname, '../../..');

export interface Result {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Started {
  readonly process: ChildProcess;
  readonly ended: Promise<Result>;
  /** All that it wrote to stderr so far. */
  said(): string;
  /** The id of the request, as soon as it is printed. */
  id(): Promise<string>;
}

/** The packed command, installed in a project of its own, with the connection file of an instance. */
export interface Installed {
  readonly folder: string;
  readonly program: string;
  start(args: readonly string[], env?: Readonly<Record<string, string>>): Started;
  run(args: readonly string[], env?: Readonly<Record<string, string>>): Promise<Result>;
  /** Writes a script that may be run, and gives its path. */
  script(name: string, text: string): string;
  remove(): void;
}

export const TOKEN_VARIABLE = 'TOKEN_OF_THE_PRODUCER';

export async function installed({ demo, dataDirectory }: Instance): Promise<Installed> {
  const folder = newFolder('cli');
  const npm = (args: readonly string[], cwd: string) =>
    execFileSync('npm', args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
  const [packed] = JSON.parse(
    npm(
      ['pack', '--json', '--ignore-scripts', '--pack-destination', folder],
      join(ROOT, 'packages/cli'),
    ),
  ) as { filename: string }[];
  writeFileSync(join(folder, 'package.json'), '{"name":"user","private":true}');
  npm(['install', '--offline', '--no-audit', '--no-fund', `./${packed!.filename}`], folder);
  const { code, stderr } = await runCommand([
    ...['connection', '--producer', demo.producer.id, '--tenant', demo.tenant],
    ...['--out', join(folder, 'countersign.json'), '--data', dataDirectory],
    ...['--token-env', TOKEN_VARIABLE],
  ]);
  if (code !== 0) throw new Error(stderr);
  mkdirSync(join(folder, 'state'));
  const program = join(folder, 'node_modules/.bin/countersign');

  function start(args: readonly string[], env: Readonly<Record<string, string>> = {}): Started {
    const child = spawn(program, args, {
      cwd: folder,
      env: {
        PATH: process.env['PATH'],
        HOME: folder,
        XDG_STATE_HOME: join(folder, 'state'),
        [TOKEN_VARIABLE]: demo.producer.token,
        ...env,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let stdout = '';
    let stderr = '';
    let told = () => {};
    child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
    child.stderr.on('data', (chunk: Buffer) => {
      stderr += chunk.toString();
      told();
    });
    const ended = new Promise<Result>((settle) =>
      child.once('close', (code) => {
        told();
        settle({ code, stdout, stderr });
      }),
    );
    let isOver = false;
    void ended.then(() => {
      isOver = true;
      told();
    });
    return {
      process: child,
      ended,
      said: () => stderr,
      async id() {
        for (;;) {
          const [, id] = /^Asked: (\S+)$/m.exec(stderr) ?? [];
          if (id !== undefined) return id;
          if (isOver) throw new Error(`it asked for nothing: ${stderr}`);
          await new Promise<void>((resume) => (told = resume));
        }
      },
    };
  }

  return {
    ...{ folder, program, start },
    run: (args, env) => start(args, env).ended,
    script(name, text) {
      const path = join(folder, name);
      writeFileSync(path, text);
      chmodSync(path, 0o755);
      return `./${name}`;
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
