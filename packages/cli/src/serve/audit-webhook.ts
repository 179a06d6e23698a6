import { readFile } from 'node:fs/promises';
import type { WebhookSinkOptions } from '@pintle/apiserver';
import { WebhookSink } from '@pintle/apiserver';
import { realClock, systemRandom } from '@pintle/async';
import type { ClientConfig } from '@pintle/client';
import { ConfigTransport, chooseContext, parseKubeconfig } from '@pintle/client';
import { UsageError } from '../usage-error.ts';
import type { Log } from './log.ts';

/** A webhook that receives audit events. */
export interface WebhookLog
  extends Pick<WebhookSinkOptions, 'maxQueued' | 'maxBatch' | 'maxWaitMs' | 'initialBackoffMs'> {
  /** Path of the kubeconfig with its address and the credentials of this server. */
  readonly kubeconfig: string;
}

/** Throws UsageError when the file cannot be used. */
export async function openWebhookSink({ kubeconfig, ...limits }: WebhookLog, log: Log): Promise<WebhookSink> {
  const config = await readConfig(kubeconfig);
  const { origin, pathname, search } = new URL(config.cluster.server);
  const transport = new ConfigTransport({ ...config, cluster: { ...config.cluster, server: origin } });
  const sink = new WebhookSink({
    ...limits,
    clock: realClock,
    random: systemRandom,
    onError: (error) => log.error('Cannot deliver audit events', { error: String(error), dropped: sink.dropped }),
    send: async (body, { signal }) => {
      const headers = { 'content-type': 'application/json' };
      const request = { method: 'POST', path: pathname, query: search.slice(1), headers, body, signal };
      const response = await transport.send(request);
      if (!(response.body instanceof Uint8Array)) await response.body[Symbol.asyncIterator]().return?.();
      return response.status;
    },
  });
  return sink;
}

async function readConfig(path: string): Promise<ClientConfig> {
  try {
    const config = chooseContext(await parseKubeconfig(await readFile(path), { file: path }));
    const { protocol, hostname } = new URL(config.cluster.server);
    if (protocol === 'https:' || LOOPBACK.has(hostname)) return config;
    throw new Error(`${config.cluster.server} is not https`);
  } catch (error) {
    throw new UsageError(`Cannot use --audit-webhook-config-file ${path}: ${(error as Error).message}`);
  }
}

/** Hosts that plain HTTP may go to: the traffic stays on this machine. */
const LOOPBACK: ReadonlySet<string> = new Set(['127.0.0.1', '[::1]', 'localhost']);
