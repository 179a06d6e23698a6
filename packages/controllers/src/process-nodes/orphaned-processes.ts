import { readFileSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';

/** Variable with the pod's uid that every process of a pod, and its children, have. */
export const POD_UID_VARIABLE = 'PINTLE_POD_UID';

/**
 * Processes of pods that a former server left running because it was killed. Pod uids are unique, so processes of other
 * servers on this machine are never matched. Works on Linux only, where the environment of processes can be read.
 */
export class OrphanedProcesses {
  readonly #pidsByPod: ReadonlyMap<string, readonly number[]>;

  private constructor(pidsByPod: ReadonlyMap<string, readonly number[]>) {
    this.#pidsByPod = pidsByPod;
  }

  /** Searches once, before this server has started any process. */
  static async find(): Promise<OrphanedProcesses> {
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
    return new OrphanedProcesses(pidsByPod);
  }

  /** Kills the processes of a pod and their process groups. */
  kill(uid: string): void {
    for (const pid of this.#pidsByPod.get(uid) ?? []) {
      try {
        // The pid may belong to another process by now.
        if (podOf(readFileSync(`/proc/${pid}/environ`, 'latin1')) !== uid) continue;
        process.kill(-groupOf(readFileSync(`/proc/${pid}/stat`, 'latin1')), 'SIGKILL');
      } catch {
        // The process has exited.
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

/** Parses `1234 (any name) S 1 1234 …`: after the name come state, parent and process group. */
function groupOf(stat: string): number {
  const [, , group = ''] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const id = Number(group);
  if (!Number.isInteger(id) || id <= 1) throw new Error(`Cannot read process group: found ${group}`);
  return id;
}
