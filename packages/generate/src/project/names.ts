import { GenerateError, type NameProblem } from '../errors.ts';

const KIND = /^[A-Z][A-Za-z0-9]{0,62}$/;
const LABEL = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/;
const DOMAIN = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;
const LICENSE = /^[A-Za-z0-9(][-A-Za-z0-9.+ ()]{0,98}$/;
const VERSION = /^v[1-9][0-9]*((alpha|beta)[1-9][0-9]*)?$/;

export function checkKind(kind: string): void {
  check(
    KIND.test(kind),
    'a kind',
    kind,
    'a kind begins with a capital letter and has letters and digits only, as in Fruit',
  );
}

export function checkVersion(version: string): void {
  check(VERSION.test(version), 'a version', version, 'versions look like v1, v1beta1 or v2alpha3');
}

export function checkName(name: string): void {
  check(LABEL.test(name), 'the name of a project', name, 'a name has lower-case letters, digits and hyphens only');
}

export function checkDomain(domain: string): void {
  const isDomain = domain.length <= 253 && DOMAIN.test(domain);
  check(isDomain, 'a domain', domain, 'a domain looks like example.com, in lower case');
}

/** Accepts SPDX identifiers, and UNLICENSED as npm does. */
export function checkLicense(license: string): void {
  check(LICENSE.test(license), 'a license', license, 'use an SPDX identifier, such as Apache-2.0 or MIT OR Apache-2.0');
}

/** Checks the names of a resource, and reports all that cannot be used together. */
export function checkResource({ group, version, kind }: Readonly<Record<'group' | 'version' | 'kind', string>>): void {
  const checks = [() => checkGroup(group), () => checkVersion(version), () => checkKind(kind)];
  const problems = checks.flatMap(problemOf);
  if (problems.length > 1) throw new GenerateError({ code: 'BadNames', names: problems });
  if (problems[0] !== undefined) throw new GenerateError({ code: 'BadName', ...problems[0] });
}

function problemOf(check: () => void): readonly NameProblem[] {
  try {
    check();
    return [];
  } catch (error) {
    if (!(error instanceof GenerateError) || error.failure.code !== 'BadName') throw error;
    const { what, name, detail } = error.failure;
    return [{ what, name, detail }];
  }
}

/** Accepts the part before the project's domain, a whole group, or the empty group, which stands for the domain. */
export function checkGroup(group: string): void {
  if (group !== '')
    check(group.length <= 253 && DOMAIN.test(group), 'a group', group, 'a group looks like food or food.example.com');
}

/** `MarkdownView` → `markdown-view` */
export function kebab(kind: string): string {
  return kind.replace(/(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])/g, '-').toLowerCase();
}

/** `MarkdownView` → `markdownView` */
export function camel(kind: string): string {
  return kind.replace(/^[A-Z]+(?=[A-Z][a-z])|^[A-Z]+/, (start) => start.toLowerCase());
}

function check(isGood: boolean, what: string, name: string, detail: string): void {
  if (!isGood) throw new GenerateError({ code: 'BadName', what, name, detail });
}
