import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { findNats, findPostgres, findRedis } from '@countersign/dev-servers';
import { obtained } from '../../../support/programs/obtained.js';

const CACHE = process.env['COUNTERSIGN_CACHE'] ?? join(homedir(), '.cache', 'countersign');

/** What runs containers and their network, with libraries that a small Debian lacks. Unpacked, not installed. */
const PACKAGES = [
  'containerd',
  'containernetworking-plugins',
  'libedit2',
  'libgmp10',
  'libjansson4',
  'libmnl0',
  'libnftables1',
  'libnftnl11',
  'libseccomp2',
  'libxtables12',
  'nftables',
  'runc',
];
const COMMANDS = ['unshare', 'nsenter', 'ip', 'apt-get', 'dpkg', 'go', 'ldd', 'tar'];

/** The programs that a cluster is made of. */
export interface Parts {
  /** Control plane, kubelet, proxy, kubectl and etcd in one. */
  readonly kubernetes: string;
  /** The folder of Debian's packages. */
  readonly debian: string;
  /** The environment in which the programs of that folder run. */
  readonly env: Readonly<Record<string, string>>;
}

/** Built and fetched once for this machine. */
export async function obtainParts(): Promise<Parts> {
  const kubernetes = await obtained('kubernetes');
  const debian = unpackedPackages();
  const of = (folders: readonly string[]): string[] => folders.map((name) => join(debian, name));
  return {
    kubernetes,
    debian,
    env: {
      PATH: [...of(['usr/sbin', 'usr/bin']), process.env['PATH']].join(':'),
      LD_LIBRARY_PATH: of(['usr/lib/x86_64-linux-gnu', 'lib/x86_64-linux-gnu']).join(':'),
    },
  };
}

function unpackedPackages(): string {
  const folder = join(CACHE, 'container-runtime');
  if (existsSync(folder)) return folder;
  const made = `${folder}.new`;
  const packages = join(made, 'packages');
  rmSync(made, { recursive: true, force: true });
  mkdirSync(packages, { recursive: true });
  execFileSync('apt-get', ['download', ...PACKAGES], { cwd: packages, stdio: 'pipe' });
  for (const file of readdirSync(packages))
    execFileSync('dpkg', ['-x', join(packages, file), made], { stdio: 'pipe' });
  rmSync(packages, { recursive: true });
  renameSync(made, folder);
  return folder;
}

/** Why this machine cannot run a cluster, or null. */
export function lacking(): string | null {
  if (process.platform !== 'linux') return 'it is not Linux';
  if (process.getuid?.() !== 0) return 'this process is not root';
  for (const command of COMMANDS) {
    try {
      execFileSync('sh', ['-c', `command -v ${command}`], { stdio: 'ignore' });
    } catch {
      return `it has no ${command}`;
    }
  }
  try {
    execFileSync('unshare', ['--net', '--mount', '--pid', '--fork', 'true'], { stdio: 'ignore' });
  } catch {
    return 'it lets no process have namespaces of its own';
  }
  if (!existsSync('/sys/fs/cgroup/memory')) return 'its control groups are not of version 1';
  if (findPostgres() === null || findNats() === null || findRedis() === null)
    return 'it has not all of postgres, nats-server and redis-server, which the pods of stores run';
  return null;
}
