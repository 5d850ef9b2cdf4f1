import { createHash, randomInt } from 'node:crypto';
import { readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import {
  cosignaturesOf,
  readCheckpoint,
  readSignatures,
  readVerifierKey,
} from '@countersign/protocol';
import type { NoteKey } from '@countersign/protocol';
import { newFolder } from '../support/folder.js';
import { runCommand } from '../support/instance.js';
import { entriesOf, keyPairOf, logOf } from './support/own-log.js';
import { startWitness } from './support/process.js';
import type { RunningWitness } from './support/process.js';

const KILLS = Number(process.env['WITNESS_KILLS'] ?? 12);
const SIZE = 2000;
/** The two histories of the log are one up to here. */
const COMMON = 100;

describe('a witness', () => {
  const keys = keyPairOf('log.example/one');
  const good = logOf(keys, entriesOf('a', SIZE, COMMON));
  const folders: string[] = [];
  const running: RunningWitness[] = [];

  async function newWitness(): Promise<{ folder: string; key: NoteKey }> {
    const folder = newFolder('witness');
    folders.push(folder);
    const args = ['witness', '--key', join(folder, 'w.key'), '--new-key', 'witness.example/w'];
    const { code, stdout, stderr } = await runCommand(args);
    expect([code, stderr]).toEqual([0, '']);
    return { folder, key: readVerifierKey(stdout.trim()) as NoteKey };
  }
  async function start(folder: string, args = ['--log', good.vkey]): Promise<RunningWitness> {
    const witness = await startWitness(folder, args);
    running.push(witness);
    return witness;
  }
  async function end({ child, ended }: RunningWitness): Promise<number | null> {
    child.kill('SIGTERM');
    return ended;
  }
  const refusal = async (args: readonly string[]) => {
    const { code, stderr } = await runCommand(['witness', ...args]);
    return [code, stderr.split('\n').length, stderr];
  };

  afterAll(async () => {
    for (const { child, ended } of running) {
      child.kill('SIGKILL');
      await ended;
    }
    for (const folder of folders) rmSync(folder, { recursive: true, force: true });
  });

  it('answers as tlog-witness says, and goes on after a restart', async () => {
    const { folder, key } = await newWitness();
    const first = await start(folder);
    const answers = async (witness: RunningWitness, body: string) => {
      const { status, type, text } = await witness.add(body);
      return status === 409 ? [status, type, text] : status;
    };
    const known = (size: number) => [409, 'text/x.tlog.size', `${size}\n`];
    expect(await answers(first, 'old 0\n')).toBe(400);
    const stranger = logOf(keyPairOf('log.example/two'), entriesOf('a', 3));
    expect(await answers(first, stranger.request(0, 3))).toBe(404);
    const forged = logOf(keyPairOf(good.origin), entriesOf('a', 3));
    expect(await answers(first, forged.request(0, 3))).toBe(403);
    expect(await answers(first, good.request(3, 5))).toEqual(known(0));
    const hash = createHash('sha256').update(good.origin).digest('hex');
    expect((await first.get(`/${hash}/checkpoint`)).status).toBe(404);

    const { status, type, text } = await first.add(good.request(0, 5));
    expect([status, type]).toEqual([200, 'text/plain; charset=utf-8']);
    const body = readCheckpoint(good.checkpoint(5))?.note.body ?? '';
    const [cosignature] = cosignaturesOf(body, readSignatures(text) ?? [], [key]);
    expect(Math.abs(Date.now() / 1000 - (cosignature?.time ?? 0))).toBeLessThan(60);
    expect(await first.get(`/${hash}/checkpoint`)).toEqual({
      status: 200,
      text: `${good.checkpoint(5)}${text}`,
    });

    expect(await answers(first, `old 6\n\n${good.checkpoint(5)}`)).toBe(400);
    expect(await answers(first, good.request(3, 8))).toEqual(known(5));
    expect(await answers(first, `old 5\n\n${good.checkpoint(8)}`)).toBe(422);
    expect(await answers(first, 'x'.repeat(200_000))).toBe(413);
    expect((await first.get('/healthz')).status).toBe(200);
    expect(await end(first)).toBe(0);

    const second = await start(folder);
    expect(await answers(second, good.request(3, 4))).toEqual(known(5));
    expect(await answers(second, good.request(5, 300))).toBe(200);
    expect(await answers(second, good.request(300, 300))).toBe(200);
    expect(await end(second)).toBe(0);
  });

  it('refuses two heads of one size, keeps the second as proof and counts it', async () => {
    const { folder } = await newWitness();
    const scraped = '--metrics-listen 127.0.0.1:0'.split(' ');
    const witness = await start(folder, ['--log', good.vkey, ...scraped]);
    const bad = logOf(keys, entriesOf('b', SIZE, COMMON));
    expect((await witness.add(good.request(0, 200))).status).toBe(200);
    const second = await witness.add(bad.request(200, 200));
    expect([second.status, second.text]).toEqual([
      422,
      'This witness has signed another tree of the same size.\n',
    ]);
    expect((await witness.add(bad.request(0, 200))).status).toBe(409);
    expect((await witness.add(bad.request(200, 300))).status).toBe(422);
    const [kept] = readdirSync(join(folder, 'w.key.state')).filter((name) =>
      name.endsWith('.fork'),
    );
    expect(readFileSync(join(folder, 'w.key.state', kept ?? ''), 'utf8')).toBe(bad.checkpoint(200));
    expect(witness.stderr()).toContain('the log signed two trees of 200 entries');
    const [, url = ''] = /"url":"([^"]+)"/.exec(witness.stderr()) ?? [];
    const metrics = await (await fetch(`${url}/metrics`)).text();
    for (const line of [
      /^countersign_witness_cosigned_total\{origin="log.example\/one",target="witness"\} 1$/m,
      /^countersign_witness_refused_total\{reason="fork",target="witness"\} 1$/m,
      /^countersign_witness_refused_total\{reason="inconsistent",target="witness"\} 1$/m,
      /^countersign_witness_forks_total\{origin="log.example\/one",target="witness"\} 2$/m,
      /^countersign_witness_size\{origin="log.example\/one",target="witness"\} 200$/m,
    ]) {
      expect(metrics).toMatch(line);
    }
    expect(await end(witness)).toBe(0);
  });

  it('signs one history alone, however often it is killed meanwhile', async () => {
    const { folder, key } = await newWitness();
    const histories = ['a', 'b', 'c'].map((tag) => logOf(keys, entriesOf(tag, SIZE, COMMON)));
    /** Roots that the witness signed, by size. */
    const signed = new Map<number, string>();
    let [largest, killed] = [0, 0];

    function note(answer: { status: number; text: string }, checkpoint: string): void {
      if (answer.status !== 200) return;
      const { note: of, head } = readCheckpoint(checkpoint)!;
      expect(cosignaturesOf(of.body, readSignatures(answer.text) ?? [], [key])).toHaveLength(1);
      const root = head.root.toString('base64');
      expect(signed.get(head.size) ?? root).toBe(root);
      signed.set(head.size, root);
      largest = Math.max(largest, head.size);
    }

    for (let round = 0; round < KILLS; round += 1) {
      const witness = await start(folder);
      const { text, status } = await witness.add(good.request(0, 1));
      if (round > 0) {
        expect(status).toBe(409);
        // It has not forgotten a signature that it gave away.
        expect(Number(text)).toBeGreaterThanOrEqual(largest);
      }
      let [alive, answers] = [true, 0];
      void witness.ended.then(() => (alive = false));
      const enough = randomInt(20, 80);
      let reached = () => {};
      const busy = new Promise<void>((settle) => (reached = settle));
      // Three histories want to grow from wherever the witness is, until it is gone.
      const writers = histories.map(async (history) => {
        let old = status === 409 ? Number(text) : 1;
        while (alive && old < SIZE) {
          const size = Math.min(SIZE, old + randomInt(1, 4));
          const answer = await witness.add(history.request(old, size)).catch(() => null);
          if (answer === null) return;
          answers += 1;
          if (answers === enough) reached();
          note(answer, history.checkpoint(size));
          if (answer.status === 409) old = Number(answer.text);
          else if (answer.status === 200) old = size;
          else return;
        }
      });
      await Promise.race([busy, Promise.all(writers)]);
      for (let left = randomInt(0, 200); left > 0; left -= 1) await turn();
      witness.child.kill('SIGKILL');
      await Promise.all([witness.ended, ...writers]);
      killed += 1;
    }
    const witness = await start(folder);
    const { text } = await witness.add(good.request(0, 1));
    const size = Number(text);
    expect(size).toBeGreaterThanOrEqual(largest);
    expect(largest).toBeGreaterThan(COMMON);
    const goOn = await Promise.all(
      histories.map(async (history) => {
        const { status } = await witness.add(history.request(size, SIZE));
        return status;
      }),
    );
    // One of the three went on, to the end; the others found it there.
    expect(goOn.filter((status) => status === 200)).toHaveLength(1);
    console.info(`${killed} kills, ${signed.size} heads signed, the largest of ${largest} entries`);
    expect(await end(witness)).toBe(0);
  });

  it('does not start with a state that is not its own, damaged, or in use', async () => {
    const { folder } = await newWitness();
    const key = join(folder, 'w.key');
    const state = join(folder, 'w.key.state');
    expect(statSync(key).mode & 0o777).toBe(0o600);
    const witness = await start(folder);
    expect((await witness.add(good.request(0, 5))).status).toBe(200);
    const args = ['--key', key, '--log', good.vkey, '--listen', '127.0.0.1:0'];
    expect(await refusal(args)).toEqual([1, 2, expect.stringContaining('another process uses')]);
    expect(await end(witness)).toBe(0);

    const [name = ''] = readdirSync(state).filter((file) => file.endsWith('.checkpoint'));
    const file = join(state, name);
    const content = readFileSync(file, 'utf8');
    for (const damaged of [content.slice(0, -9), content.replace('\n5\n', '\n4\n'), '']) {
      writeFileSync(file, damaged);
      expect(await refusal(args)).toEqual([1, 2, expect.stringContaining('no checkpoint of')]);
    }
    writeFileSync(file, content);
    const other = (await newWitness()).folder;
    const theirs = [...args, '--state', join(other, 'w.key.state')];
    expect(await refusal(theirs)).toEqual([1, 2, expect.stringContaining('not the state of this')]);
    expect(await refusal([...args, '--state', other])).toEqual([
      1,
      2,
      expect.stringContaining('not the state of this'),
    ]);
    expect(readdirSync(other).sort()).toEqual(['w.key', 'w.key.state']);
    const again = await start(folder);
    expect((await again.add(good.request(5, 6))).status).toBe(200);
    expect(await end(again)).toBe(0);
  });

  it('takes a list of logs, two keys of one log, and says what is wrong with a line', async () => {
    const { folder } = await newWitness();
    const renewed = logOf(keyPairOf(good.origin), entriesOf('a', 9, COMMON));
    const list = join(folder, 'logs');
    writeFileSync(list, `logs/v0\nvkey ${good.vkey}\nvkey ${renewed.vkey}\n`);
    const witness = await start(folder, ['--logs', list]);
    expect((await witness.add(good.request(0, 5))).status).toBe(200);
    expect((await witness.add(renewed.request(5, 9))).status).toBe(200);
    expect(await end(witness)).toBe(0);
    writeFileSync(list, `logs/v0\nvkey ${good.vkey}x\n`);
    const args = ['--key', join(folder, 'w.key'), '--logs', list];
    expect(await refusal(args)).toEqual([1, 2, expect.stringContaining('line 2: the key is')]);
  });
});
