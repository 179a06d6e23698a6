import { readFile } from 'node:fs/promises';
import { loadConfig, loadKubeconfig } from '@pintle/client';
import type { Environment } from './environment.ts';
import { RemoteBackend } from './remote-backend.ts';

/** Opens the cluster that kubectl would talk to. */
export async function openExistingCluster(env: Environment): Promise<RemoteBackend> {
  return new RemoteBackend({
    kind: 'existing cluster',
    config: await loadConfig({ env }),
    kubeconfig: async () => {
      const { files } = await loadKubeconfig({ env });
      if (files.length === 1) return await readFile(files[0]!, 'utf8');
      throw new Error(`Cannot return the kubeconfig: it consists of several files, ${files.join(', ')}`);
    },
  });
}
