import { readFileSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';

/** Every process of a pod, and what it starts, has the uid of the pod in this variable. */
export const POD_UID_VARIABLE = 'PINTLE_POD_UID';

/**
 * The processes of pods that an earlier server left running, because it was killed itself. A pod's uid is no other's, so
 * processes of other servers on this machine are never taken for them. Only Linux tells the variables of processes;
 * elsewhere none are found.
 */
export class LeftProcesses {
  readonly #pidsByPod: ReadonlyMap<string, readonly number[]>;

  private constructor(pidsByPod: ReadonlyMap<string, readonly number[]>) {
    this.#pidsByPod = pidsByPod;
  }

  /** Looks once, before this server has started any process. */
  static async find(): Promise<LeftProcesses> {
    const pidsByPod = new Map<string, number[]>();
    for (const name of await readdir('/proc').catch(() => [])) {
      const pid = Number(name);
      if (!Number.isInteger(pid)) continue;
      const uid = podOf(await readFile(`/proc/${pid}/environ`, 'latin1').catch(() => ''));
      if (uid === undefined) continue;
      const pids = pidsByPod.get(uid);
      if (pids === undefined) pidsByPod.set(uid, [pid]);
      else pids.push(pid);
    }
    return new LeftProcesses(pidsByPod);
  }

  /** Kills what was left of a pod, with all that is in the same process groups. */
  kill(uid: string): void {
    for (const pid of this.#pidsByPod.get(uid) ?? []) {
      try {
        // The number may be another process's by now.
        if (podOf(readFileSync(`/proc/${pid}/environ`, 'latin1')) !== uid) continue;
        process.kill(-groupOf(readFileSync(`/proc/${pid}/stat`, 'latin1')), 'SIGKILL');
      } catch {
        // It has ended meanwhile.
      }
    }
  }
}

function podOf(environ: string): string | undefined {
  const prefix = `${POD_UID_VARIABLE}=`;
  return environ
    .split('\0')
    .find((variable) => variable.startsWith(prefix))
    ?.slice(prefix.length);
}

/** `1234 (any name) S 1 1234 …`: behind the name come the state, the parent and the process group. */
function groupOf(stat: string): number {
  const [, , group = ''] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const id = Number(group);
  if (!Number.isInteger(id) || id <= 1) throw new Error(`Cannot read the process group: found ${group}`);
  return id;
}
