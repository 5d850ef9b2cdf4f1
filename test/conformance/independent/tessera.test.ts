import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { newFolder } from '../../support/folder.js';
import { runCommand } from '../../support/instance.js';
import { startWitness } from '../../witness/support/process.js';
import type { RunningWitness } from '../../witness/support/process.js';
import { buildTlog, hasGo } from './tlog-program.js';

const there = hasGo() ? describe : describe.skip;

/** A log of other people's code, `tlog/tessera.go`: its witness and its monitor are ours. */
there('a log of Tessera’s', () => {
  const folder = newFolder('tessera');
  const program = join(folder, 'tlog');
  let log: ChildProcess;
  let witness: RunningWitness;
  let lines: AsyncIterator<string>;
  let watched: string[];

  const nextLine = async (): Promise<string> => (await lines.next()).value as string;
  /** Resolves with the size of the checkpoint that the log published then. */
  async function add(many: number): Promise<number> {
    log.stdin?.write(`${many}\n`);
    return Number(await nextLine());
  }
  const watch = () => runCommand(['watch', '--once', ...watched]);

  beforeAll(async () => {
    buildTlog(program);
    mkdirSync(join(folder, 'log'));
    const started = spawn(program, ['log', join(folder, 'log'), 'log.example/tessera'], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    log = started;
    lines = createInterface({ input: started.stdout })[Symbol.asyncIterator]();
    const [vkey = '', prefix = ''] = (await nextLine()).split(' ');
    const key = join(folder, 'w.key');
    await runCommand(['witness', '--key', key, '--new-key', 'witness.example/w']);
    writeFileSync(join(folder, 'logs'), `logs/v0\nvkey ${vkey}\n`);
    witness = await startWitness(folder, ['--logs', join(folder, 'logs')]);
    log.stdin?.write(`${witness.setting}\n`);
    watched = ['--trust', vkey, '--prefix', prefix, '--state', join(folder, 'state')];
  });
  afterAll(async () => {
    log?.stdin?.end();
    witness?.child.kill('SIGTERM');
    await witness?.ended;
    rmSync(folder, { recursive: true, force: true });
  });

  it('publishes what our witness signed, and holds for our monitor', async () => {
    const first = await add(3);
    expect(first).toBeGreaterThanOrEqual(3);
    expect(await watch()).toMatchObject({ code: 0, stderr: '' });
    const second = await add(700);
    expect(second).toBeGreaterThanOrEqual(703);
    const { code, stdout, stderr } = await watch();
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toContain(`has ${second} entries, which continue the ${first} seen before`);
  });
});
