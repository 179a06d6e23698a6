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
 *
 * Reads its rules with the first decision that needs them: most of the default roles are never asked.
 */
export class KnownRole {
  /** `undefined` once the rules were read, so that the record is not kept beside them. */
  #readRules: (() => readonly PolicyRule[]) | undefined;
  #rules: readonly PolicyRule[] | undefined;
  #arranged: ArrangedRules | undefined;
  #textSize: number | undefined;

  constructor(readRules: () => readonly PolicyRule[]) {
    this.#readRules = readRules;
  }

  get rules(): readonly PolicyRule[] {
    if (this.#rules === undefined) {
      this.#rules = this.#readRules?.() ?? [];
      this.#readRules = undefined;
    }
    return this.#rules;
  }

  allows(info: RequestInfo): boolean {
    this.#arranged ??= arrange(this.rules);
    return info.kind === 'resource' ? allowsResource(this.#arranged, info) : anyAllows(this.#arranged.ofPaths, info);
  }

  /** Approximate length of the rules as text. */
  get textSize(): number {
    this.#textSize ??= this.rules.reduce((sum, rule) => sum + textSizeOf(rule), 0);
    return this.#textSize;
  }
}

interface ArrangedRules {
  readonly byResource: ReadonlyMap<string, RuleTest[]>;
  readonly ofPaths: readonly RuleTest[];
}

function arrange(rules: readonly PolicyRule[]): ArrangedRules {
  const byResource = new Map<string, RuleTest[]>();
  const ofPaths: RuleTest[] = [];
  for (const rule of rules) {
    const { resources = [], nonResourceURLs = [] } = rule;
    const test = compileRule(rule);
    for (const resource of new Set(resources)) {
      const tests = byResource.get(resource);
      if (tests === undefined) byResource.set(resource, [test]);
      else tests.push(test);
    }
    if (nonResourceURLs.length > 0) ofPaths.push(test);
  }
  return { byResource, ofPaths };
}

function allowsResource({ byResource }: ArrangedRules, info: ResourceRequest): boolean {
  const { resource, subresource } = info;
  if (anyAllows(byResource.get('*'), info)) return true;
  if (subresource === '') return anyAllows(byResource.get(resource), info);
  return (
    anyAllows(byResource.get(`${resource}/${subresource}`), info) || anyAllows(byResource.get(`*/${subresource}`), info)
  );
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
