import { validateDns1123Label, validateDns1123Subdomain } from '@pintle/machinery/names';

const PREFIX = 'system:serviceaccount:';

export interface ServiceAccountName {
  readonly namespace: string;
  readonly name: string;
}

/** Returns the service account of a username; `undefined` for other users. */
export function splitServiceAccountName(username: string): ServiceAccountName | undefined {
  if (!username.startsWith(PREFIX)) return undefined;
  const [namespace = '', name = '', ...rest] = username.slice(PREFIX.length).split(':');
  if (rest.length > 0 || validateDns1123Label(namespace).length > 0) return undefined;
  return validateDns1123Subdomain(name).length > 0 ? undefined : { namespace, name };
}

export function serviceAccountUsername({ namespace, name }: ServiceAccountName): string {
  return `${PREFIX}${namespace}:${name}`;
}

export function serviceAccountGroups(namespace: string): string[] {
  return ['system:serviceaccounts', `system:serviceaccounts:${namespace}`];
}
