import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

/** Whether programs of Go can be built here; says so where they cannot. */
export function hasGo(): boolean {
  const has = spawnSync('go', ['version']).status === 0;
  if (!has) console.warn('SKIPPED: there is no `go` here, so no other program reads our trees');
  return has;
}

/** Builds `tlog/` to this path; with the flags of obtain.mjs, so that Go compiles its library once for all. */
export function buildTlog(program: string): void {
  const flags = ['-trimpath', '-ldflags', '-s -w', '-gcflags', 'all=-l -dwarf=false'];
  const { status, stderr } = spawnSync('go', ['build', ...flags, '-o', program, '.'], {
    cwd: join(__dirname, 'tlog'),
    encoding: 'utf8',
    env: { ...process.env, CGO_ENABLED: '0' },
  });
  if (status !== 0) throw new Error(`tlog cannot be built: ${stderr}`);
}
