import type { Check, CheckedPod, Violation } from './checks.ts';
import { CHECKS } from './checks.ts';
import type { Standard } from './policy.ts';

/** Returns the violations of a standard, in the order they are listed. */
export function violationsOf(pod: CheckedPod, standard: Standard): Violation[] {
  return checksOf(standard).flatMap((check) => versionAt(check, standard.minor)?.(pod) ?? []);
}

/** `privileged (container "c" must not …), hostPort (…)` */
export function describeViolations(violations: readonly Violation[]): string {
  return violations.map(({ reason, detail }) => `${reason} (${detail})`).join(', ');
}

function checksOf({ level, minor }: Standard): readonly Check[] {
  if (level === 'privileged') return [];
  const known = CHECKS.filter((check) => versionAt(check, minor) !== undefined);
  if (level === 'baseline') return known.filter((check) => check.level === 'baseline');
  const replaced = new Set(known.map(({ replaces }) => replaces));
  return known.filter(({ id }) => !replaced.has(id));
}

function versionAt({ versions }: Check, minor: number): Check['versions'][number][1] | undefined {
  return versions.findLast(([since]) => since <= minor)?.[1];
}
