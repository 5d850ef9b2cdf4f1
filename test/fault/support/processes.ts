import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { commandOf } from '@countersign/tools/launcher/data-directory';
import { STORES_FILE } from '@countersign/deploy/stores-file';
import type { StoresFile } from '@countersign/deploy/stores-file';
import type { Instance } from '../../support/instance.js';
import { until } from '../../support/requests.js';

/** A child of the launcher. */
export interface Child {
  readonly pid: number;
  readonly command: string;
}

/** A process that runs one target, such as one of two of `review`. */
export interface Replica extends Child {
  readonly target: string;
}

export type StoreName = 'nats' | 'redis' | 'postgres';

const STORE_COMMANDS: Readonly<Record<StoreName, RegExp>> = {
  nats: /(^|\/)nats-server /,
  redis: /(^|\/)(redis|valkey)-server /,
  postgres: /(^|\/)postgres -D /,
};

/** The replicas that run now, of `targets` when given. */
export function replicasOf(instance: Instance, ...targets: string[]): Replica[] {
  return childrenOf(instance.launcher.pid as number).flatMap((child) => {
    const target = / --target=([a-z-]+)/.exec(child.command)?.[1];
    if (target === undefined || (targets.length > 0 && !targets.includes(target))) return [];
    return [{ ...child, target }];
  });
}

/** The launcher's own server of that kind; undefined between its death and its return. It may run in a container. */
export function storeOf(instance: Instance, name: StoreName): Child | undefined {
  const file = join(instance.dataDirectory, STORES_FILE);
  const { started } = JSON.parse(readFileSync(file, 'utf8')) as StoresFile;
  return started.find(
    ({ pid, command }) => STORE_COMMANDS[name].test(command) && commandOf(pid) === command,
  );
}

/** kill -9; false when it was gone already. */
export function kill9({ pid }: Child): boolean {
  try {
    return process.kill(pid, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false;
    throw error;
  }
}

/** The replicas of a target once `many` of them say in their logs that they serve. */
export function untilServing(
  instance: Instance,
  target: string,
  many: number,
  withinMs = 30_000,
): Promise<Replica[]> {
  return until(
    async () => servingReplicasOf(instance, target),
    (replicas) => replicas.length === many,
    withinMs,
  );
}

/** The replicas of a target that run and have said in their logs that they serve. */
export function servingReplicasOf(instance: Instance, target: string): Replica[] {
  const serving = readyPids(instance, target);
  return replicasOf(instance, target).filter(({ pid }) => serving.has(pid));
}

function readyPids(instance: Instance, target: string): Set<number> {
  const logs = join(instance.dataDirectory, 'logs');
  const lines = readdirSync(logs)
    .filter((name) => name.replace(/(-\d+)?\.log$/, '') === target)
    .flatMap((name) => readFileSync(join(logs, name), 'utf8').split('\n'))
    .filter((line) => line.includes('"ready":true'));
  return new Set(lines.map((line) => (JSON.parse(line) as { pid: number }).pid));
}

/** Hundredths of a second that a process has spent on a processor; null where the system does not say. */
export function processorTime(pid: number): number | null {
  const file = `/proc/${pid}/stat`;
  if (!existsSync(file)) return null;
  const afterName = readFileSync(file, 'utf8').split(') ')[1] as string;
  const [userTicks, systemTicks] = afterName.split(' ').slice(11, 13);
  return Number(userTicks) + Number(systemTicks);
}

function childrenOf(parent: number): Child[] {
  return existsSync('/proc/self/stat') ? childrenInProc(parent) : childrenByPs(parent);
}

function childrenInProc(parent: number): Child[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      try {
        const stat = readFileSync(`/proc/${name}/stat`, 'utf8');
        const [state, owner] = stat.slice(stat.lastIndexOf(') ') + 2).split(' ');
        // A dead child that its parent has not looked at yet is no longer there.
        if (Number(owner) !== parent || state === 'Z') return [];
        const command = readFileSync(`/proc/${name}/cmdline`, 'utf8').replaceAll('\0', ' ');
        return [{ pid: Number(name), command }];
      } catch {
        return [];
      }
    });
}

function childrenByPs(parent: number): Child[] {
  const listing = execFileSync('ps', ['-axo', 'pid=,ppid=,command='], { encoding: 'utf8' });
  return listing.split('\n').flatMap((line) => {
    const [, pid, owner, command] = /^\s*(\d+)\s+(\d+)\s+(.*)$/.exec(line) ?? [];
    return Number(owner) === parent ? [{ pid: Number(pid), command: `${command} ` }] : [];
  });
}
