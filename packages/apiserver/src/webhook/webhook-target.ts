import { posix } from 'node:path';
import { formatDuration } from '@pintle/machinery/time';
import type { ServiceResolver } from './service-resolver.ts';

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
  /** The name the certificate must be for, and the `Host` of the request. */
  readonly serverName: string;
  readonly hostHeader: string;
  /** Where to connect to; a service takes a look at what stands behind it. */
  connect(resolve: ServiceResolver): Promise<{ readonly host: string; readonly port: number }>;
}

const HTTPS_PORT = 443;
const NANOSECONDS = 1_000_000n;

export function targetOf({ url, service }: WebhookClientConfig, timeoutMs: number): WebhookTarget {
  const timeout = `timeout=${formatDuration(BigInt(Math.round(timeoutMs)) * NANOSECONDS)}`;
  if (service !== undefined) {
    const { namespace, name, path = '', port = HTTPS_PORT } = service;
    const serverName = `${name}.${namespace}.svc`;
    const cleaned = cleanPath(path);
    return {
      url: `https://${serverName}:${port}${cleaned}?${timeout}`,
      path: `${cleaned}?${timeout}`,
      serverName,
      hostHeader: `${serverName}:${port}`,
      connect: (resolve) => resolve({ namespace, name, port }),
    };
  }
  const { protocol, hostname, port, host, pathname } = new URL(url ?? '');
  if (protocol !== 'https:') throw new TypeError(`Cannot call a webhook at ${url}: only https is spoken`);
  const path = cleanPath(pathname);
  const bare = hostname.replace(/^\[|\]$/g, '');
  return {
    url: `https://${host}${path}?${timeout}`,
    path: `${path}?${timeout}`,
    serverName: bare,
    hostHeader: host,
    connect: async () => ({ host: bare, port: port === '' ? HTTPS_PORT : Number(port) }),
  };
}

/** As Kubernetes asks for it: envtest writes `//validate`, which servers in Go would answer with a redirect. */
function cleanPath(path: string): string {
  return posix.normalize(`/${path}`).replace(/(?<=.)\/$/, '');
}
