import { createHash } from 'node:crypto';
import type { ConnectionOptions } from 'node:tls';

/** Where a service can be reached from this process. */
export interface ServiceAddress {
  readonly host: string;
  readonly port: number;
}

/**
 * Finds what stands behind a service that a webhook or an aggregated API names. Rejects with an Error whose message says
 * what is missing, as Kubernetes words it: `service "web" not found`.
 */
export type ServiceResolver = (service: {
  readonly namespace: string;
  readonly name: string;
  readonly port: number;
}) => Promise<ServiceAddress>;

/** For servers that know no services: every one is missing. */
export const noServices: ServiceResolver = async ({ name }) => {
  throw new Error(`service ${JSON.stringify(name)} not found`);
};

/** A certificate that this server shows to others, in PEM. */
export interface ClientCertificate {
  readonly certificate: string;
  readonly privateKey: string;
}

/** A server that requests go to: where it is, which name its certificate must have, and who may have signed that. */
export interface OutboundTarget extends ServiceAddress {
  /** A name or an address. */
  readonly serverName: string;
  /** The `Host` of requests. Default: the address. */
  readonly authority?: string;
  /** Authorities in PEM. Empty: those that Node trusts. */
  readonly ca?: string | undefined;
  /** The server's certificate is not looked at. */
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

/** The certificates of a `caBundle`: PEM in base64. */
export function decodeBundle(bundle: string | undefined): string {
  return Buffer.from(bundle ?? '', 'base64').toString('latin1');
}

export function hostPort({ host, port }: ServiceAddress): string {
  return `${host.includes(':') ? `[${host}]` : host}:${port}`;
}

/** Whether a host is a name, not an address. */
export function isName(host: string): boolean {
  return !/^[\d.]+$|:/.test(host);
}

/** Requests to targets of the same identity may share connections. */
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

/** As in Go, authorities that are no roots count too, in versions of Node that can do so. */
function trustOf({ ca = '', insecureSkipTLSVerify = false }: OutboundTarget): ConnectionOptions {
  if (insecureSkipTLSVerify) return { rejectUnauthorized: false };
  return ca === '' ? {} : { ca, allowPartialTrustChain: true };
}
