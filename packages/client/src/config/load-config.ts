import { readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { delimiter, join, resolve } from 'node:path';
import type { ChooseOptions, ClientConfig } from './client-config.ts';
import { chooseContext } from './client-config.ts';
import { environmentProxy } from './environment-proxy.ts';
import { badConfig } from './fields.ts';
import { inClusterConfig } from './in-cluster.ts';
import type { Kubeconfig } from './kubeconfig.ts';
import { mergeKubeconfigs, parseKubeconfig } from './kubeconfig.ts';

export interface LoadOptions extends ChooseOptions {
  /** Path of a file that must exist. Default: the files in KUBECONFIG, else `~/.kube/config`, else the pod's service account. */
  readonly kubeconfig?: string;
  /** Default: `process.env`. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Default: HOME, else the home folder of the user. */
  readonly home?: string;
  /** Default: where the kubelet mounts it. */
  readonly serviceAccountFolder?: string;
}

/** Loads the configuration that kubectl would use. Rejects with a `ClientError` that lists the files it tried. */
export async function loadConfig(options: LoadOptions = {}): Promise<ClientConfig> {
  const env = options.env ?? process.env;
  const { kubeconfig, files } = await loadKubeconfig(options);
  const isEmpty = kubeconfig.clusters.size === 0 && kubeconfig.contexts.size === 0;
  if (isEmpty && options.kubeconfig === undefined) {
    const config = await inClusterConfig(env, options.serviceAccountFolder);
    if (config === undefined) throw badConfig(`no kubeconfig at ${files.join(', ')}, and this process is not in a pod`);
    return { ...config, ...(options.namespace !== undefined && { namespace: options.namespace }) };
  }
  return withProxy(chooseContext(kubeconfig, options), env);
}

/** Loads and merges the kubeconfig files, and returns their paths. Missing files count as empty. */
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
    throw badConfig(`cannot read ${file}`, cause);
  }
  return await parseKubeconfig(text, { file });
}

function withProxy(config: ClientConfig, env: Readonly<Record<string, string | undefined>>): ClientConfig {
  const proxy = config.cluster.proxy ?? environmentProxy(config.cluster.server, env);
  return proxy === undefined ? config : { ...config, cluster: { ...config.cluster, proxy } };
}
