import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';

/** The processes that a process has started, and those that these have, as far as they live. */
export function descendantsOf(pid: number): number[] {
  const rows = execFileSync('ps', ['-eo', 'pid=,ppid='], { encoding: 'utf8' }).trim().split('\n');
  const pairs = rows.map((row) => row.trim().split(/\s+/).map(Number));
  const below = (ancestor: number): number[] =>
    pairs.filter(([, above]) => above === ancestor).flatMap(([child = 0]) => [child, ...below(child)]);
  return below(pid);
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch {
    return false;
  }
  // A process that has ended and is not reaped is no longer alive.
  const stat = `/proc/${pid}/stat`;
  return !existsSync(stat) || !/\) [ZX] /.test(readFileSync(stat, 'utf8'));
}
