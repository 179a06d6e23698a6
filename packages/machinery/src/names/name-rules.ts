import type { NameRule } from '../rules/resource-rules.ts';
import { validateDns1035Label, validateDns1123Label, validateDns1123Subdomain } from './dns.ts';

/** The rule for the names of most kinds. */
export const dns1123SubdomainName: NameRule = (name, isPrefix) =>
  validateDns1123Subdomain(maskTrailingDash(name, isPrefix));

/** The rule for namespaces and for names that become part of a host name. */
export const dns1123LabelName: NameRule = (name, isPrefix) => validateDns1123Label(maskTrailingDash(name, isPrefix));

export const dns1035LabelName: NameRule = (name, isPrefix) => validateDns1035Label(maskTrailingDash(name, isPrefix));

/** The rule that every name must satisfy: it can be one segment of a path. The only rule for RBAC's kinds. */
export const pathSegmentName: NameRule = (name, isPrefix) => {
  if (!isPrefix && (name === '.' || name === '..')) return [`may not be '${name}'`];
  return ['/', '%'].filter((part) => name.includes(part)).map((part) => `may not contain '${part}'`);
};

/** Names are DNS subdomains. Prefixes only have to be valid in a path: the server checks the generated name instead. */
export const subdomainOrAnyPrefix: NameRule = (name, isPrefix) =>
  isPrefix ? pathSegmentName(name, true) : validateDns1123Subdomain(name);

/** A prefix may end in a dash, but a name may not: replaces the dash and the character before it with one letter. */
function maskTrailingDash(name: string, isPrefix: boolean): string {
  return isPrefix && name.length > 1 && name.endsWith('-') ? `${name.slice(0, -2)}a` : name;
}

/** Characters of generated suffixes: no vowels, so that no words arise, and no two characters that look alike. */
export const NAME_SUFFIX_ALPHABET = 'bcdfghjklmnpqrstvwxz2456789';
