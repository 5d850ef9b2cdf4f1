import type { ChildProcess } from 'node:child_process';
import type { Kubectl } from './kubectl.js';

const OPEN_WITHIN_MS = 60_000;

/** Ports of this machine's loopback that lead to ports of a Deployment's pod. */
export interface Door {
  close(): void;
}

/** `ways` are pairs of a port of this machine and one of the pod. Resolves when all are open. */
export async function openDoor(
  kubectl: Kubectl,
  namespace: string,
  deployment: string,
  ways: readonly (readonly [number, number])[],
): Promise<Door> {
  const child = kubectl.start(
    ...['port-forward', '--namespace', namespace, `deployment/${deployment}`],
    ...ways.map(([from, to]) => `${from}:${to}`),
  );
  try {
    await opened(child, ways.length);
  } catch (error) {
    child.stdin?.end();
    throw error;
  }
  return { close: () => void child.stdin?.end() };
}

function opened(child: ChildProcess, ways: number): Promise<void> {
  return new Promise((resolve, reject) => {
    let said = '';
    const read = (chunk: Buffer): void => {
      said += chunk.toString();
      // For a port each, on 127.0.0.1 and on ::1.
      if (said.split('Forwarding from 127.0.0.1').length > ways) resolve();
    };
    child.stdout?.on('data', read);
    child.stderr?.on('data', read);
    child.once('exit', () => reject(new Error(`kubectl port-forward ended: ${said}`)));
    setTimeout(() => reject(new Error(`no way opened: ${said}`)), OPEN_WITHIN_MS).unref();
  });
}
