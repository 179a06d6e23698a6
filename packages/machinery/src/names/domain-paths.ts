import type { FieldError } from '../errors/field-error.ts';
import { invalid, required } from '../errors/field-error.ts';
import type { FieldPath } from '../errors/field-path.ts';
import { validateDns1123Label, validateDns1123Subdomain } from './dns.ts';
import { validateQualifiedName } from './label-names.ts';
import { Pattern, patternMessage } from './messages.ts';

const httpPath = new Pattern("[A-Za-z0-9/\\-._~%!$&'()*+,;=:]+");

/** A domain of at least three segments, such as `a.example.com`. */
export function validateFullyQualifiedName(value: string, path: FieldPath | string): FieldError[] {
  if (value === '') return [required(path)];
  const problems = validateDns1123Subdomain(value);
  if (problems.length > 0) return [invalid(path, value, problems.join(','))];
  if (value.split('.').length >= 3) return [];
  return [invalid(path, value, 'should be a domain with at least three segments separated by dots')];
}

/** A domain of at least two segments, each a label; it may end in a dot. */
export function validateFullyQualifiedDomainName(value: string, path: FieldPath | string): FieldError[] {
  if (value === '') return [required(path)];
  const name = value.endsWith('.') ? value.slice(0, -1) : value;
  const problems = validateDns1123Subdomain(name);
  if (problems.length > 0) return [invalid(path, name, problems.join(','))];
  const labels = name.split('.');
  if (labels.length < 2)
    return [invalid(path, name, 'should be a domain with at least two segments separated by dots')];
  const wrong = labels.find((label) => validateDns1123Label(label).length > 0);
  return wrong === undefined ? [] : [invalid(path, wrong, validateDns1123Label(wrong).join(','))];
}

/** `example.com/some/path`: a domain, then a path as in a URL. */
export function validateDomainPrefixedPath(value: string, path: FieldPath | string): FieldError[] {
  if (value === '') return [required(path)];
  const slash = value.indexOf('/');
  const [host, rest] = slash === -1 ? ['', ''] : [value.slice(0, slash), value.slice(slash + 1)];
  if (host === '' || rest === '')
    return [invalid(path, value, 'must be a domain-prefixed path (such as "acme.io/foo")')];
  const errors = validateDns1123Subdomain(host).map((problem) => invalid(path, host, problem));
  if (!httpPath.matches(rest)) errors.push(invalid(path, rest, patternMessage('Invalid path', httpPath.source)));
  return errors;
}

/** `example.com/name`: a qualified name with a domain. */
export function validateDomainPrefixedKey(value: string, path: FieldPath | string): FieldError[] {
  if (value === '') return [required(path)];
  const problems = validateQualifiedName(value);
  if (problems.length > 0) return problems.map((problem) => invalid(path, value, problem));
  if (value.includes('/')) return [];
  return [invalid(path, value, 'must be a domain-prefixed key (such as "acme.io/foo")')];
}
