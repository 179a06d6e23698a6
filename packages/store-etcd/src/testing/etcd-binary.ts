import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

const script = join(import.meta.dirname, '..', '..', '..', '..', 'scripts', 'etcd.mjs');

const DEFAULT = 'default';

/** Versions that suites run on: those in `PINTLE_ETCD_VERSIONS`, or the one that is installed or built. */
export const etcdVersions: readonly string[] = (process.env.PINTLE_ETCD_VERSIONS ?? DEFAULT).split(',');

/**
 * Returns the path of an etcd binary, built once if necessary; `undefined` without one. With `PINTLE_ETCD=required`
 * that is an error, because a skipped suite shows nothing.
 */
export function findEtcd(version: string): string | undefined {
  const { stdout, status } = spawnSync(process.execPath, [script, ...(version === DEFAULT ? [] : [version])], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  if (status === 0) return stdout.trim();
  if (process.env.PINTLE_ETCD === 'required')
    throw new Error('Cannot test on etcd: found neither an etcd binary nor Go');
  console.warn(`SKIPPED: nothing is tested on etcd ${version}, for there is neither ETCD_BIN, nor an etcd, nor Go`);
  return undefined;
}
