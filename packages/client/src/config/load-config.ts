import { readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { delimiter, join, resolve } from 'node:path';
import type { ChooseOptions, ClientConfig } from './client-config.ts';
import { chooseContext } from './client-config.ts';
import { environmentProxy } from './environment-proxy.ts';
import { bad } from './fields.ts';
import { inClusterConfig } from './in-cluster.ts';
import type { Kubeconfig } from './kubeconfig.ts';
import { mergeKubeconfigs, parseKubeconfig } from './kubeconfig.ts';

export interface LoadOptions extends ChooseOptions {
  /** A file, which must be there. Default: those that KUBECONFIG lists, else `~/.kube/config`, else the pod's own. */
  readonly kubeconfig?: string;
  /** Default: the process's. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Default: the user's. */
  readonly home?: string;
  /** Where a pod finds its service account. */
  readonly serviceAccountFolder?: string;
}

/** The configuration kubectl would use here. Rejects with a `ClientError` that says what was looked for. */
export async function loadConfig(options: LoadOptions = {}): Promise<ClientConfig> {
  const env = options.env ?? process.env;
  const { kubeconfig, files } = await loadKubeconfig(options);
  const isEmpty = kubeconfig.clusters.size === 0 && kubeconfig.contexts.size === 0;
  if (isEmpty && options.kubeconfig === undefined) {
    const config = await inClusterConfig(env, options.serviceAccountFolder);
    if (config === undefined) throw bad(`there is none: no ${files.join(', no ')}, and this is no pod`);
    return { ...config, ...(options.namespace !== undefined && { namespace: options.namespace }) };
  }
  return withProxy(chooseContext(kubeconfig, options), env);
}

/** The kubeconfig files of this place, merged, and which they are. Files that are not there count as empty. */
export async function loadKubeconfig(
  options: Pick<LoadOptions, 'kubeconfig' | 'env' | 'home'> = {},
): Promise<{ readonly kubeconfig: Kubeconfig; readonly files: readonly string[] }> {
  const files = listFiles(options);
  const isRequired = options.kubeconfig !== undefined;
  const configs = await Promise.all(files.map((file) => readKubeconfig(file, isRequired)));
  return { kubeconfig: mergeKubeconfigs(configs.filter((config) => config !== undefined)), files };
}

function listFiles({ kubeconfig, env = process.env, home }: LoadOptions): string[] {
  if (kubeconfig !== undefined) return [resolve(kubeconfig)];
  const listed = (env.KUBECONFIG ?? '').split(delimiter).filter((file) => file !== '');
  if (listed.length > 0) return [...new Set(listed.map((file) => resolve(file)))];
  return [join(home ?? env.HOME ?? homedir(), '.kube', 'config')];
}

async function readKubeconfig(file: string, isRequired: boolean): Promise<Kubeconfig | undefined> {
  let text: Uint8Array;
  try {
    text = await readFile(file);
  } catch (cause) {
    if (!isRequired && (cause as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw bad(`${file} cannot be read`, cause);
  }
  return await parseKubeconfig(text, { file });
}

function withProxy(config: ClientConfig, env: Readonly<Record<string, string | undefined>>): ClientConfig {
  const proxy = config.cluster.proxy ?? environmentProxy(config.cluster.server, env);
  return proxy === undefined ? config : { ...config, cluster: { ...config.cluster, proxy } };
}
