import type { WebhookClientConfig } from '@pintle/kinds/admissionregistration/v1';

/** Address at which the API server reaches the webhooks. */
export interface WebhookAddress {
  /** Service of the operator's pods, inside a cluster. */
  readonly service?: { readonly namespace: string; readonly name: string; readonly port?: number };
  /** `https://host:port`, without a Service: during development, or outside the cluster. */
  readonly url?: string;
  /** Certificate authorities to trust, in PEM. Without them, another tool sets `caBundle`. */
  readonly authorities?: string;
}

/** Returns the client configuration for a path. */
export function clientConfigOf({ service, url, authorities }: WebhookAddress, path: string): WebhookClientConfig {
  const caBundle = authorities === undefined ? {} : { caBundle: Buffer.from(authorities).toString('base64') };
  if (service !== undefined) return { service: { port: 443, ...service, path }, ...caBundle };
  return { url: `${(url ?? 'https://localhost').replace(/\/$/, '')}${path}`, ...caBundle };
}

/** Returns the host names that the certificate must have. */
export function hostsOf({ service, url }: WebhookAddress): string[] {
  if (service === undefined) return [new URL(url ?? 'https://localhost').hostname.replace(/^\[(.*)\]$/, '$1')];
  const name = `${service.name}.${service.namespace}`;
  return [`${name}.svc`, `${name}.svc.cluster.local`, name];
}

export function ownNamespaceOf({ service }: WebhookAddress): string | undefined {
  return service?.namespace;
}
