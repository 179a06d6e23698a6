import { posix } from 'node:path';
import { formatDuration } from '@pintle/machinery/time';
import type { OutboundTarget, ServiceResolver } from '../outbound/index.ts';
import { decodeBundle, targetOfUrl } from '../outbound/index.ts';

/** Where a webhook is, as `clientConfig` of the API has it: an address or a service, and whom to trust. */
export interface WebhookClientConfig {
  readonly url?: string;
  readonly service?: {
    readonly namespace: string;
    readonly name: string;
    readonly path?: string;
    readonly port?: number;
  };
  /** Certificates in PEM, in base64. Without them the authorities that Node trusts count. */
  readonly caBundle?: string;
}

/** A webhook's address taken apart. */
export interface WebhookTarget {
  /** The address in errors. */
  readonly url: string;
  readonly path: string;
  /** Where to connect to; a service is looked up. */
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

/** As Kubernetes asks for it: envtest writes `//validate`, which servers in Go would answer with a redirect. */
function cleanPath(path: string): string {
  return posix.normalize(`/${path}`).replace(/(?<=.)\/$/, '');
}
