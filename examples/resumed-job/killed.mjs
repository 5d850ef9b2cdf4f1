// `node killed.mjs CHARGE` starts the job and kills it with SIGKILL while people decide, starts it again and kills it inside of its
// function, starts it a third time and lets it end.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { setTimeout } from 'node:timers/promises';

const start = (stdout) =>
  spawn(process.execPath, ['job.mjs', ...process.argv.slice(2)], {
    stdio: ['ignore', stdout, 'inherit'],
  });

async function kill(job) {
  job.kill('SIGKILL');
  if (job.exitCode === null) await once(job, 'exit');
  if (job.signalCode !== 'SIGKILL') throw new Error('the job ended before it was killed');
}

const first = start('pipe');
for await (const line of createInterface({ input: first.stdout })) {
  console.log(line);
  if (line.startsWith('Asked: ')) break;
}
await kill(first);
console.log('Killed while people decide, and started again. Open the link, and decide.');

const second = start('inherit');
const calls = async () => (await (await fetch(`${process.env.PAYMENTS}/refunds`)).json()).calls;
while ((await calls()) === 0 && second.exitCode === null) await setTimeout(100);
await kill(second);
console.log('Killed inside of its function, and started again.');

const [code] = await once(start('inherit'), 'exit');
process.exitCode = code;
