import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { join } from 'node:path';

/** The command of a cluster's administrators. */
export interface Kubectl {
  readonly kubeconfig: string;
  /** Variables for programs that log in as it does; no file of theirs is outside the cluster's folder. */
  readonly env: NodeJS.ProcessEnv;
  /** Gives what it printed; throws its complaint. */
  ask(...args: string[]): Promise<string>;
  /** Creates or changes objects. */
  apply(...objects: object[]): Promise<void>;
  /** Has the server check objects as if it made them; throws what it says, warnings too. */
  tryOut(...objects: object[]): Promise<void>;
  /** Starts it, to run until its input closes: also when this process is killed. */
  start(...args: string[]): ChildProcess;
}

const UNTIL_INPUT_ENDS = '"$@" & cat > /dev/null; kill $!';

/** `command` is the program, with the arguments that make it kubectl. */
export function kubectlOf(command: readonly string[], kubeconfig: string, folder: string): Kubectl {
  const env = {
    ...process.env,
    KUBECONFIG: kubeconfig,
    KUBECACHEDIR: join(folder, 'kubectl-cache'),
    HELM_CACHE_HOME: join(folder, 'helm-cache'),
    HELM_CONFIG_HOME: join(folder, 'helm-config'),
    HELM_DATA_HOME: join(folder, 'helm-data'),
  };
  const [program = 'kubectl', ...before] = command;
  const ask = (args: readonly string[], input = ''): Promise<Output> =>
    outputOf(program, [...before, ...args], env, input);
  const apply = (objects: readonly object[], ...flags: string[]): Promise<Output> => {
    const list = { apiVersion: 'v1', kind: 'List', items: objects };
    return ask(['apply', '--server-side', ...flags, '-f', '-'], JSON.stringify(list));
  };
  return {
    kubeconfig,
    env,
    ask: async (...args) => (await ask(args)).stdout,
    apply: async (...objects) => void (await apply(objects)),
    async tryOut(...objects) {
      const { stderr } = await apply(objects, '--dry-run=server');
      if (stderr !== '') throw new Error(stderr);
    },
    start: (...args) =>
      spawn('sh', ['-c', UNTIL_INPUT_ENDS, 'sh', program, ...before, ...args], {
        env,
        stdio: 'pipe',
      }),
  };
}

export interface Output {
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a program to its end; throws what it wrote to stderr when it fails. */
export function outputOf(
  program: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv,
  input = '',
): Promise<Output> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { env, stdio: 'pipe' });
    const output = { stdout: '', stderr: '' };
    for (const stream of ['stdout', 'stderr'] as const)
      child[stream].setEncoding('utf8').on('data', (text: string) => (output[stream] += text));
    child.once('error', reject);
    child.once('close', (code) => {
      if (code === 0) resolve(output);
      else reject(new Error(`${args.slice(0, 6).join(' ')}: ${output.stderr}${output.stdout}`));
    });
    child.stdin.on('error', () => {});
    child.stdin.end(input);
  });
}
