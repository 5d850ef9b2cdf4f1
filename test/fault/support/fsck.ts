import type { Instance } from '../../support/instance.js';
import { runCommand } from '../../support/instance.js';
import { until } from '../../support/requests.js';
import { report, seconds } from './report.js';

/** `countersign fsck` of a running instance after a run: its words, '' when all agrees. */
export async function fsckOf(name: string, { dataDirectory }: Instance): Promise<string> {
  const begin = performance.now();
  // The database may only just be back.
  const { code, stdout, stderr } = await until(
    () => runCommand(['fsck', '--data', dataDirectory]),
    (run) => run.code !== 2,
    30_000,
  );
  report(`${name}: fsck ${stdout.split('\n').slice(0, 2).join(':')} (${seconds(begin)})`);
  return code === 0 ? '' : `${stdout}${stderr}`;
}
