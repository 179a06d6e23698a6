import type { NameRule } from '../rules/resource-rules.ts';
import { validateDns1035Label, validateDns1123Label, validateDns1123Subdomain } from './dns.ts';

/** The rule for the names of most kinds. */
export const dns1123SubdomainName: NameRule = (name, isPrefix) => validateDns1123Subdomain(masked(name, isPrefix));

/** The rule for namespaces and for what becomes part of a host's name. */
export const dns1123LabelName: NameRule = (name, isPrefix) => validateDns1123Label(masked(name, isPrefix));

export const dns1035LabelName: NameRule = (name, isPrefix) => validateDns1035Label(masked(name, isPrefix));

/** The least any name must satisfy: it can stand as one segment of a path. The only rule for RBAC's kinds. */
export const pathSegmentName: NameRule = (name, isPrefix) => {
  if (!isPrefix && (name === '.' || name === '..')) return [`may not be '${name}'`];
  return ['/', '%'].filter((part) => name.includes(part)).map((part) => `may not contain '${part}'`);
};

/** A DNS subdomain that may be made of any prefix that can stand in a path: what comes of it is checked, it is not. */
export const subdomainOrAnyPrefix: NameRule = (name, isPrefix) =>
  isPrefix ? pathSegmentName(name, true) : validateDns1123Subdomain(name);

/** A prefix may end in a dash, which a name may not: the dash and what stands before it count as one letter. */
function masked(name: string, isPrefix: boolean): string {
  return isPrefix && name.length > 1 && name.endsWith('-') ? `${name.slice(0, -2)}a` : name;
}

/** What generated parts of names are made of: no vowels, lest words come about, and nothing that is mistaken for another. */
export const WORDLESS_ALPHABET = 'bcdfghjklmnpqrstvwxz2456789';
