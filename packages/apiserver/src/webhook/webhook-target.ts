import { posix } from 'node:path';
import { formatDuration } from '@pintle/machinery/time';
import type { OutboundTarget, ServiceResolver } from '../outbound/index.ts';
import { decodeBundle, targetOfUrl } from '../outbound/index.ts';

/** Address of a webhook, as `clientConfig` of the API: a URL or a service, with the trusted certificates. */
export interface WebhookClientConfig {
  readonly url?: string;
  readonly service?: {
    readonly namespace: string;
    readonly name: string;
    readonly path?: string;
    readonly port?: number;
  };
  /** PEM certificates, in base64. Default: the authorities that Node.js trusts. */
  readonly caBundle?: string;
}

/** Parsed address of a webhook. */
export interface WebhookTarget {
  /** The address in error messages. */
  readonly url: string;
  readonly path: string;
  /** Returns the address to connect to; resolves services. */
  locate(resolve: ServiceResolver): Promise<OutboundTarget>;
}

const HTTPS_PORT = 443;
const NANOSECONDS = 1_000_000n;

export function targetOf({ url, service, caBundle }: WebhookClientConfig, timeoutMs: number): WebhookTarget {
  const timeout = `timeout=${formatDuration(BigInt(Math.round(timeoutMs)) * NANOSECONDS)}`;
  const ca = decodeBundle(caBundle);
  if (service !== undefined) {
    const { namespace, name, port = HTTPS_PORT } = service;
    const path = `${cleanPath(service.path ?? '')}?${timeout}`;
    const serverName = `${name}.${namespace}.svc`;
    const authority = `${serverName}:${port}`;
    return {
      url: `https://${authority}${path}`,
      path,
      locate: async (resolve) => ({ ...(await resolve({ namespace, name, port })), serverName, authority, ca }),
    };
  }
  const parsed = new URL(url ?? '');
  const target = targetOfUrl(parsed, ca);
  const path = `${cleanPath(parsed.pathname)}?${timeout}`;
  return { url: `https://${parsed.host}${path}`, path, locate: async () => target };
}

/** Cleans the path as Kubernetes does: envtest writes `//validate`, which servers in Go would redirect. */
function cleanPath(path: string): string {
  return posix.normalize(`/${path}`).replace(/(?<=.)\/$/, '');
}
