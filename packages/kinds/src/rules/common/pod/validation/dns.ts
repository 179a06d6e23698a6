import { type FieldError, type FieldPath, forbidden, invalid, required, tooLong } from '@pintle/machinery/errors';
import {
  byteLength,
  validateDns1123Subdomain,
  validateDns1123SubdomainWithUnderscore,
  validateLegacyIp,
} from '@pintle/machinery/names';
import type { HostAlias, PodDNSConfig, PodSpec } from '../../../../generated/core/v1.ts';
import { eachItem, isEmpty, problems } from '../../checks.ts';

const maxNameservers = 3;
const maxSearches = 32;
const maxSearchCharacters = 2048;

/** Checks the configuration of the Pod's resolver. */
export function validateDnsConfig({ dnsConfig, dnsPolicy }: PodSpec, path: FieldPath): FieldError[] {
  if (dnsPolicy === 'None') {
    if (dnsConfig === undefined) return [required(path, 'must provide `dnsConfig` when `dnsPolicy` is None')];
    if ((dnsConfig.nameservers ?? []).length === 0)
      return [required(path.child('nameservers'), 'must provide at least one DNS nameserver when `dnsPolicy` is None')];
  }
  return dnsConfig === undefined ? [] : validateConfig(dnsConfig, path);
}

export function validateHostAliases(aliases: readonly HostAlias[] | undefined, path: FieldPath): FieldError[] {
  return eachItem(aliases, path, (alias, at) => [
    ...validateLegacyIp(alias.ip ?? '', at.child('ip')),
    ...eachItem(alias.hostnames, at.child('hostnames'), (name, namePath) =>
      problems(namePath, name, validateDns1123Subdomain(name)),
    ),
  ]);
}

/** Checks the host name of the Pod, where it differs from its name. */
export function validateHostnameOverride(spec: PodSpec, path: FieldPath): FieldError[] {
  const { hostnameOverride: name } = spec;
  if (name === undefined) return [];
  const errors: FieldError[] = [];
  if (spec.setHostnameAsFQDN) errors.push(forbidden(path, 'may not be specified when setHostnameAsFQDN is true'));
  if (spec.hostNetwork) errors.push(forbidden(path, 'may not be specified when hostNetwork is true'));
  if (byteLength(name) > 64) errors.push(tooLong(path, 64));
  return [...errors, ...problems(path, name, validateDns1123Subdomain(name))];
}

function validateConfig({ nameservers = [], searches = [], options }: PodDNSConfig, path: FieldPath): FieldError[] {
  const searchesPath = path.child('searches');
  return [
    ...(nameservers.length > maxNameservers
      ? [invalid(path.child('nameservers'), nameservers, `must not have more than ${maxNameservers} nameservers`)]
      : []),
    ...eachItem(nameservers, path.child('nameservers'), (server, at) => validateLegacyIp(server, at)),
    ...(searches.length > maxSearches
      ? [invalid(searchesPath, searches, `must not have more than ${maxSearches} search paths`)]
      : []),
    ...(byteLength(searches.join(' ')) > maxSearchCharacters
      ? [
          invalid(
            searchesPath,
            searches,
            `must not have more than ${maxSearchCharacters} characters (including spaces) in the search list`,
          ),
        ]
      : []),
    ...eachItem(searches, searchesPath, validateSearch),
    ...eachItem(options, path.child('options'), ({ name }, at) =>
      isEmpty(name) ? [required(at, 'must not be empty')] : [],
    ),
  ];
}

function validateSearch(search: string, path: FieldPath): FieldError[] {
  if (search === '.') return [];
  const domain = search.endsWith('.') ? search.slice(0, -1) : search;
  return problems(path, domain, validateDns1123SubdomainWithUnderscore(domain));
}
