import type { RequestInfo, ResourceRequest } from '@pintle/apiserver/request';
import type { PolicyRule } from '@pintle/kinds/rbac/v1';
import type { RuleTest } from './policy-rule.ts';
import { compileRule } from './policy-rule.ts';

/**
 * A role with its rules arranged by resource, so that a decision only tries those that can allow it:
 *
 *     pods       ► rule 0, rule 2
 *     pods/log   ► rule 0
 *     *          ► rule 3
 */
export class KnownRole {
  readonly rules: readonly PolicyRule[];
  readonly #byResource = new Map<string, RuleTest[]>();
  readonly #ofPaths: RuleTest[] = [];
  #textSize: number | undefined;

  constructor(rules: readonly PolicyRule[]) {
    this.rules = rules;
    for (const rule of rules) this.#arrange(rule, compileRule(rule));
  }

  allows(info: RequestInfo): boolean {
    return info.kind === 'resource' ? this.#allowsResource(info) : anyAllows(this.#ofPaths, info);
  }

  /** Approximate length of the rules as text. */
  get textSize(): number {
    this.#textSize ??= this.rules.reduce((sum, rule) => sum + textSizeOf(rule), 0);
    return this.#textSize;
  }

  #arrange({ resources = [], nonResourceURLs = [] }: PolicyRule, test: RuleTest): void {
    for (const resource of new Set(resources)) {
      const tests = this.#byResource.get(resource);
      if (tests === undefined) this.#byResource.set(resource, [test]);
      else tests.push(test);
    }
    if (nonResourceURLs.length > 0) this.#ofPaths.push(test);
  }

  #allowsResource(info: ResourceRequest): boolean {
    const { resource, subresource } = info;
    if (anyAllows(this.#byResource.get('*'), info)) return true;
    if (subresource === '') return anyAllows(this.#byResource.get(resource), info);
    return (
      anyAllows(this.#byResource.get(`${resource}/${subresource}`), info) ||
      anyAllows(this.#byResource.get(`*/${subresource}`), info)
    );
  }
}

/** Slot of a role that exists or that bindings refer to. Holders of the slot see every change of the role. */
export interface RoleSlot {
  readonly key: string;
  /** `undefined` when the role does not exist. */
  role: KnownRole | undefined;
  /** Number of bindings that refer to it. */
  bindings: number;
}

function anyAllows(tests: readonly RuleTest[] | undefined, info: RequestInfo): boolean {
  return tests?.some((allows) => allows(info)) ?? false;
}

/** Length of a rule without the texts in its lists, and of the quotes and comma around each text. */
const RULE_SIZE = 80;
const TEXT_SIZE = 3;

/** Returns the approximate length of a rule as text. */
export function textSizeOf(rule: PolicyRule): number {
  let size = RULE_SIZE;
  for (const list of [rule.verbs, rule.apiGroups, rule.resources, rule.resourceNames, rule.nonResourceURLs]) {
    for (const text of list ?? []) size += TEXT_SIZE + text.length;
  }
  return size;
}
