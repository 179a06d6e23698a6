import type { APIService, APIServiceCondition } from '@pintle/kinds/apiregistration/v1';
import type { GroupVersion } from '@pintle/machinery';

const HTTPS_PORT = 443;

/** A group and version that another server serves, from its APIService. */
export interface RemoteApi extends GroupVersion {
  readonly service: { readonly namespace: string; readonly name: string; readonly port: number };
  /** PEM certificates, in base64. Default: the authorities that Node.js trusts. */
  readonly caBundle: string;
  readonly insecureSkipTLSVerify: boolean;
  /** Last known availability: requests are forwarded only when it is true. */
  readonly isAvailable: boolean;
}

/** Returns `undefined` for APIServices that this server serves itself. */
export function remoteApiOf(apiService: APIService): RemoteApi | undefined {
  const { group = '', version = '', service, caBundle = '', insecureSkipTLSVerify = false } = apiService.spec ?? {};
  if (service === undefined) return undefined;
  const { namespace = '', name = '', port = HTTPS_PORT } = service;
  const isAvailable = availableCondition(apiService)?.status === 'True';
  return { group, version, service: { namespace, name, port }, caBundle, insecureSkipTLSVerify, isAvailable };
}

export function availableCondition({ status }: APIService): APIServiceCondition | undefined {
  return status?.conditions?.find(({ type }) => type === 'Available');
}

export function apiServiceName({ group, version }: GroupVersion): string {
  return `${version}.${group}`;
}

/** Returns the name that the server's certificate must have. */
export function serverNameOf({ service }: RemoteApi): string {
  return `${service.name}.${service.namespace}.svc`;
}
