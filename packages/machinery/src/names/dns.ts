import { byteLength, maxCharactersMessage, Pattern, patternMessage } from './messages.ts';

const labelMaxLength = 63;
const subdomainMaxLength = 253;

const dns1123Label = new Pattern('[a-z0-9]([-a-z0-9]*[a-z0-9])?');
const dns1123Subdomain = new Pattern(`${dns1123Label.source}(\\.${dns1123Label.source})*`);
const dns1035Label = new Pattern('[a-z]([-a-z0-9]*[a-z0-9])?');
const wildcardDns1123Subdomain = new Pattern(`\\*\\.${dns1123Subdomain.source}`);
const labelWithUnderscore = '_?[a-z0-9]([-_a-z0-9]*[a-z0-9])?';
const subdomainWithUnderscore = new Pattern(`${labelWithUnderscore}(\\.${labelWithUnderscore})*`);

/** `my-name`: lower case letters, digits and dashes, at most 63 characters. */
export function validateDns1123Label(value: string): string[] {
  const problems = lengthProblems(value, labelMaxLength);
  if (dns1123Label.matches(value)) return problems;
  if (dns1123Subdomain.matches(value)) return [...problems, 'must not contain dots'];
  const rule =
    "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character";
  return [...problems, patternMessage(rule, dns1123Label.source, 'my-name', '123-abc')];
}

/**
 * `example.com`: labels joined by dots, at most 253 characters; the rule for most names of objects. Kubernetes' message
 * counts characters for a name and bytes for the prefix of a label key.
 */
export function validateDns1123Subdomain(value: string, lengthMessage = maxCharactersMessage): string[] {
  const problems = lengthProblems(value, subdomainMaxLength, lengthMessage);
  if (dns1123Subdomain.matches(value)) return problems;
  const rule =
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character";
  return [...problems, patternMessage(rule, dns1123Subdomain.source, 'example.com')];
}

/** As a subdomain, in letters of either case; for the names of drivers. The message shows the lower case pattern. */
export function validateDns1123SubdomainCaseless(value: string): string[] {
  const problems = lengthProblems(value, subdomainMaxLength);
  if (/^[\x20-\x7e]*$/.test(value) && dns1123Subdomain.matches(value.toLowerCase())) return problems;
  const rule =
    "an RFC 1123 subdomain must consist of alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character";
  return [...problems, patternMessage(rule, dns1123Subdomain.source, 'Example.com')];
}

/** As a subdomain, with underscores; for search domains of a Pod. */
export function validateDns1123SubdomainWithUnderscore(value: string): string[] {
  const problems = lengthProblems(value, subdomainMaxLength);
  if (subdomainWithUnderscore.matches(value)) return problems;
  const rule =
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '_', '-' or '.', and must start and end with an alphanumeric character";
  return [...problems, patternMessage(rule, subdomainWithUnderscore.source, 'example.com')];
}

/** `my-name`: as a label, starting with a letter. For names that become DNS labels, such as those of Services. */
export function validateDns1035Label(value: string): string[] {
  const problems = lengthProblems(value, labelMaxLength);
  if (dns1035Label.matches(value)) return problems;
  const rule =
    "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character";
  return [...problems, patternMessage(rule, dns1035Label.source, 'my-name', 'abc-123')];
}

/** `*.example.com` */
export function validateWildcardDns1123Subdomain(value: string): string[] {
  const problems = lengthProblems(value, subdomainMaxLength);
  if (wildcardDns1123Subdomain.matches(value)) return problems;
  const rule =
    "a wildcard DNS-1123 subdomain must start with '*.', followed by a valid DNS subdomain, which must consist of lower case alphanumeric characters, '-' or '.' and end with an alphanumeric character";
  return [...problems, patternMessage(rule, wildcardDns1123Subdomain.source, '*.example.com')];
}

function lengthProblems(value: string, max: number, message = maxCharactersMessage): string[] {
  return byteLength(value) > max ? [message(max)] : [];
}
