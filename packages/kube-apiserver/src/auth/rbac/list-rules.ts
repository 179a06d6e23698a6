import { waitForOwnTurn } from '@pintle/async';
import type { PolicyRule } from '@pintle/kinds/rbac/v1';
import type { KnownRole } from './known-role.ts';
import { textSizeOf } from './known-role.ts';

/** Length of the listed rules as text: about 14,000 rules of one resource each. */
export const MAX_LISTED_SIZE = 1536 * 1024;
/** Length after which the search for further distinct rules ends. */
const MAX_READ_SIZE = 32 * 1024 * 1024;
/** Length between two pauses. */
const PAUSE_SIZE = 256 * 1024;

interface RuleList {
  readonly rules: readonly PolicyRule[];
  readonly isComplete: boolean;
}

/**
 * Lists the rules of roles, once per binding as Kubernetes does. When that is too long, lists each distinct rule once,
 * as many as fit.
 */
export async function listRules(grants: () => Iterable<KnownRole>, roles: Iterable<KnownRole>): Promise<RuleList> {
  return listAll(grants()) ?? (await listDistinct(roles));
}

/** Returns `undefined` when they do not fit. */
function listAll(grants: Iterable<KnownRole>): RuleList | undefined {
  const rules: PolicyRule[] = [];
  let size = 0;
  for (const role of grants) {
    size += role.textSize;
    if (size > MAX_LISTED_SIZE) return undefined;
    for (const rule of role.rules) rules.push(rule);
  }
  return { rules, isComplete: true };
}

async function listDistinct(roles: Iterable<KnownRole>): Promise<RuleList> {
  const listed = new Map<string, PolicyRule>();
  let [listedSize, readSize, pauseAt] = [0, 0, PAUSE_SIZE];
  for (const { rules } of roles) {
    for (const rule of rules) {
      const size = textSizeOf(rule);
      readSize += size;
      if (readSize > MAX_READ_SIZE) return { rules: [...listed.values()], isComplete: false };
      if (readSize > pauseAt) {
        pauseAt = readSize + PAUSE_SIZE;
        await waitForOwnTurn();
      }
      const key = JSON.stringify(rule);
      if (listed.has(key)) continue;
      listedSize += size;
      if (listedSize > MAX_LISTED_SIZE) return { rules: [...listed.values()], isComplete: false };
      listed.set(key, rule);
    }
  }
  return { rules: [...listed.values()], isComplete: true };
}
