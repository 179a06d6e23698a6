import { mkdirSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, join, resolve } from 'node:path';
import type { Client, ClientConfig } from '@pintle/client';
import { ClientError, connect, loadConfig } from '@pintle/client';
import { UsageError } from '../usage-error.ts';

export interface ClusterFlags {
  readonly context?: string;
  readonly kubeconfig?: string;
}

const PINTLE = 'npx --no-install pintle';

/** The user has no cluster, and named none. */
export class NoCluster extends UsageError {}

/** Connects to the cluster of the flags: that of the kubeconfig, or of one of its contexts. */
export async function connectTo(flags: ClusterFlags): Promise<Client> {
  return await connect(await configOf(flags), { userAgent: 'pintle' });
}

/** Throws when the kubeconfig has no such cluster, before another process fails with it. */
export async function checkCluster(flags: ClusterFlags): Promise<void> {
  await configOf(flags);
}

async function configOf({ context, kubeconfig }: ClusterFlags): Promise<ClientConfig> {
  try {
    return await loadConfig({ ...(context && { context }), ...(kubeconfig && { kubeconfig }) });
  } catch (error) {
    const isNamed = context !== undefined || kubeconfig !== undefined || process.env.KUBECONFIG;
    if (isNamed || !(error instanceof ClientError && error.failure.code === 'BadConfig')) throw error;
    throw new NoCluster(`${error.message}. Start a control plane with ${PINTLE} dev, or pass --kubeconfig`);
  }
}

/**
 * Returns the environment that makes another process use the same cluster. The first kubeconfig that sets a context wins,
 * so a file with only the context goes before those of the user.
 */
export function clusterEnvironment(directory: string, { context, kubeconfig }: ClusterFlags): Record<string, string> {
  const files = kubeconfig === undefined ? process.env.KUBECONFIG : resolve(kubeconfig);
  if (context === undefined) return files === undefined ? {} : { KUBECONFIG: files };
  const folder = join(directory, '.pintle');
  mkdirSync(folder, { recursive: true });
  const chosen = join(folder, 'context.kubeconfig');
  writeFileSync(chosen, `${JSON.stringify({ apiVersion: 'v1', kind: 'Config', 'current-context': context })}\n`);
  return { KUBECONFIG: [chosen, files ?? join(homedir(), '.kube', 'config')].join(delimiter) };
}
