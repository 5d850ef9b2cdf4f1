import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

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

/** The folder that Debian's packages are unpacked in; fetched once for this machine. */
export function debianParts(): string {
  const folder = join(CACHE, 'container-runtime');
  if (existsSync(folder)) return folder;
  const made = `${folder}.new`;
  rmSync(made, { recursive: true, force: true });
  mkdirSync(join(made, 'packages'), { recursive: true });
  execFileSync('apt-get', ['download', ...PACKAGES], {
    cwd: join(made, 'packages'),
    stdio: 'pipe',
  });
  for (const file of readdirSync(join(made, 'packages')))
    execFileSync('dpkg', ['-x', join(made, 'packages', file), made]);
  rmSync(join(made, 'packages'), { recursive: true });
  renameSync(made, folder);
  return folder;
}

/** Why this machine cannot run a cluster, or null. */
export function lacking(): string | null {
  if (process.platform !== 'linux') return 'it is not Linux';
  if (process.getuid?.() !== 0) return 'this process is not root';
  for (const command of ['unshare', 'nsenter', 'ip', 'apt-get', 'dpkg', 'go']) {
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
  return existsSync('/sys/fs/cgroup/memory') ? null : 'its cgroups are not of version 1';
}
