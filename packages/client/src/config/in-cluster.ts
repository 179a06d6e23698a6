import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ClientConfig } from './client-config.ts';
import { badConfig } from './fields.ts';

const SERVICE_ACCOUNT = '/var/run/secrets/kubernetes.io/serviceaccount';

/** Returns the configuration of a pod's service account; `undefined` outside of a pod. Follows rotation of the token. */
export async function inClusterConfig(
  env: Readonly<Record<string, string | undefined>> = process.env,
  folder: string = SERVICE_ACCOUNT,
): Promise<ClientConfig | undefined> {
  const { KUBERNETES_SERVICE_HOST: host, KUBERNETES_SERVICE_PORT: port } = env;
  if (!host || !port) return undefined;
  const tokenFile = join(folder, 'token');
  if ((await readText(tokenFile)) === undefined)
    throw badConfig(`this pod has no service account token: cannot read ${tokenFile}`);
  const caFile = join(folder, 'ca.crt');
  const hasCa = (await readText(caFile)) !== undefined;
  const namespace = env.POD_NAMESPACE || (await readText(join(folder, 'namespace')));
  return {
    cluster: {
      server: `https://${host.includes(':') ? `[${host}]` : host}:${port}`,
      insecureSkipVerify: false,
      ...(hasCa && { ca: { file: caFile } }),
    },
    user: { tokenFile },
    namespace: namespace || 'default',
  };
}

async function readText(file: string): Promise<string | undefined> {
  try {
    return (await readFile(file, 'utf8')).trim();
  } catch {
    return undefined;
  }
}
