import type { APIService, APIServiceCondition } from '@pintle/kinds/apiregistration/v1';
import type { GroupVersion } from '@pintle/machinery';

const HTTPS_PORT = 443;

/** A group and version that another server serves, as its APIService says. */
export interface RemoteApi extends GroupVersion {
  readonly service: { readonly namespace: string; readonly name: string; readonly port: number };
  /** Certificates in PEM, in base64. Without them the authorities that Node trusts count. */
  readonly caBundle: string;
  readonly insecureSkipTLSVerify: boolean;
  /** What its APIService was last found to be: requests go only to those that are there. */
  readonly isAvailable: boolean;
}

/** `undefined` for APIServices of what this server serves itself. */
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

/** The name its server's certificate must be for. */
export function serverNameOf({ service }: RemoteApi): string {
  return `${service.name}.${service.namespace}.svc`;
}
