import { createHash } from 'node:crypto';
import type { ConnectionOptions } from 'node:tls';

/** Address at which this process reaches a service. */
export interface ServiceAddress {
  readonly host: string;
  readonly port: number;
}

/**
 * Resolves a service of a webhook or an aggregated API. Rejects with an Error in Kubernetes' words:
 * `service "web" not found`.
 */
export type ServiceResolver = (service: {
  readonly namespace: string;
  readonly name: string;
  readonly port: number;
}) => Promise<ServiceAddress>;

/** Resolver of servers without services: rejects every one as not found. */
export const noServices: ServiceResolver = async ({ name }) => {
  throw new Error(`service ${JSON.stringify(name)} not found`);
};

/** Client certificate of this server, in PEM. */
export interface ClientCertificate {
  readonly certificate: string;
  readonly privateKey: string;
}

/** Target of requests: its address, and the name and authorities of its certificate. */
export interface OutboundTarget extends ServiceAddress {
  /** Name or address that the certificate must have. */
  readonly serverName: string;
  /** The `Host` of requests. Default: the address. */
  readonly authority?: string;
  /** Authorities in PEM. Empty for those that Node.js trusts. */
  readonly ca?: string | undefined;
  /** Accepts any certificate. */
  readonly insecureSkipTLSVerify?: boolean;
  readonly clientCertificate?: ClientCertificate | undefined;
}

const HTTPS_PORT = 443;

/** Throws a TypeError for URLs of other schemes than https. */
export function targetOfUrl(url: URL, ca?: string): OutboundTarget {
  const { protocol, hostname, port, host } = url;
  if (protocol !== 'https:') throw new TypeError(`Cannot connect to ${url.href}: it is not an https URL`);
  const bare = hostname.replace(/^\[|\]$/g, '');
  return { host: bare, port: port === '' ? HTTPS_PORT : Number(port), serverName: bare, authority: host, ca };
}

/** Decodes a `caBundle`: PEM in base64. */
export function decodeBundle(bundle: string | undefined): string {
  return Buffer.from(bundle ?? '', 'base64').toString('latin1');
}

export function hostPort({ host, port }: ServiceAddress): string {
  return `${host.includes(':') ? `[${host}]` : host}:${port}`;
}

/** True when a host is a name, not an address. */
export function isName(host: string): boolean {
  return !/^[\d.]+$|:/.test(host);
}

/** Returns a key: requests to targets with the same one may share connections. */
export function identityOf(target: OutboundTarget): string {
  const { serverName, ca = '', insecureSkipTLSVerify = false, clientCertificate } = target;
  const trust = createHash('sha256').update(insecureSkipTLSVerify ? '' : ca);
  trust.update('\0').update(clientCertificate?.certificate ?? '');
  return `${hostPort(target)} ${serverName} ${insecureSkipTLSVerify} ${trust.digest('base64')}`;
}

export function tlsOptionsOf(target: OutboundTarget): ConnectionOptions {
  const { host, port, serverName, clientCertificate } = target;
  return {
    host,
    port,
    ...(isName(serverName) && { servername: serverName }),
    ...trustOf(target),
    ...(clientCertificate && { cert: clientCertificate.certificate, key: clientCertificate.privateKey }),
  };
}

/** Trusts intermediate authorities too, as Go does, in versions of Node.js that support it. */
function trustOf({ ca = '', insecureSkipTLSVerify = false }: OutboundTarget): ConnectionOptions {
  if (insecureSkipTLSVerify) return { rejectUnauthorized: false };
  return ca === '' ? {} : { ca, allowPartialTrustChain: true };
}
