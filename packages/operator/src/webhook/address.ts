import type { WebhookClientConfig } from '@pintle/kinds/admissionregistration/v1';

/** How the API server reaches this one. */
export interface WebhookAddress {
  /** A Service in front of the operator's pods; how it is inside a cluster. */
  readonly service?: { readonly namespace: string; readonly name: string; readonly port?: number };
  /** `https://host:port`, when there is no Service: while developing, or outside the cluster. */
  readonly url?: string;
  /** Authorities that its certificate is signed by, in PEM. Without them, others say whom to trust. */
  readonly authorities?: string;
}

/** Whom to ask at a path. */
export function clientConfigOf({ service, url, authorities }: WebhookAddress, path: string): WebhookClientConfig {
  const caBundle = authorities === undefined ? {} : { caBundle: Buffer.from(authorities).toString('base64') };
  if (service !== undefined) return { service: { port: 443, ...service, path }, ...caBundle };
  return { url: `${(url ?? 'https://localhost').replace(/\/$/, '')}${path}`, ...caBundle };
}

/** Names that a certificate must be good for. */
export function hostsOf({ service, url }: WebhookAddress): string[] {
  if (service === undefined) return [new URL(url ?? 'https://localhost').hostname.replace(/^\[(.*)\]$/, '$1')];
  const name = `${service.name}.${service.namespace}`;
  return [`${name}.svc`, `${name}.svc.cluster.local`, name];
}

export function ownNamespaceOf({ service }: WebhookAddress): string | undefined {
  return service?.namespace;
}
