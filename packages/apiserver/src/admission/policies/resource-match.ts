import type { MatchResources, NamedRuleWithOperations } from '@pintle/kinds/admissionregistration/v1';
import type { GroupVersionResource } from '@pintle/machinery';
import type { CompiledLabelSelector } from '@pintle/machinery/selectors';
import { compileLabelSelector } from '@pintle/machinery/selectors';
import type { AdmissionRequest } from '../../resource/admission-request.ts';
import type { RuleSubject } from '../matching/rules.ts';
import { ruleMatches } from '../matching/rules.ts';
import type { NamespaceLabels } from '../matching/selectors.ts';
import { objectMatches } from '../matching/selectors.ts';
import { nameOf, resourceOf } from '../matching/subject-names.ts';

/** Matches requests for a policy or a binding. */
export class ResourceMatch {
  readonly #rules: readonly NamedRuleWithOperations[];
  readonly #excluded: readonly NamedRuleWithOperations[];
  readonly #takesEquivalents: boolean;
  readonly #namespaceSelector: CompiledLabelSelector;
  readonly #objectSelector: CompiledLabelSelector;

  constructor(match: MatchResources = {}) {
    this.#rules = match.resourceRules ?? [];
    this.#excluded = match.excludeResourceRules ?? [];
    this.#takesEquivalents = match.matchPolicy !== 'Exact';
    this.#namespaceSelector = compileLabelSelector(match.namespaceSelector ?? {});
    this.#objectSelector = compileLabelSelector(match.objectSelector ?? {});
  }

  /** False when no object of that resource can match. */
  mayMatch(subjects: RuleSubjects): boolean {
    return this.#rules.length === 0 || this.#named(this.#rules, subjects, () => true) !== undefined;
  }

  /** Returns the resource that the rules match; `undefined` when none does. */
  async match(
    request: AdmissionRequest,
    subjects: RuleSubjects,
    namespace: NamespaceLabels,
  ): Promise<GroupVersionResource | undefined> {
    if (!objectMatches(this.#objectSelector, request)) return undefined;
    const name = nameOf(request);
    const hasName = ({ resourceNames = [] }: NamedRuleWithOperations) =>
      resourceNames.length === 0 || resourceNames.includes(name);
    if (this.#named(this.#excluded, subjects, hasName) !== undefined) return undefined;
    const matched = this.#rules.length === 0 ? resourceOf(request) : this.#named(this.#rules, subjects, hasName);
    if (matched === undefined || !(await namespace.match(this.#namespaceSelector))) return undefined;
    return matched;
  }

  /** Tries the resource of the request first, then its other versions in the order of the rules. */
  #named(
    rules: readonly NamedRuleWithOperations[],
    { own, others }: RuleSubjects,
    hasName: (rule: NamedRuleWithOperations) => boolean,
  ): GroupVersionResource | undefined {
    const named = rules.filter(hasName);
    if (named.some((rule) => ruleMatches(rule, own))) return plain(own);
    if (!this.#takesEquivalents || others.length === 0) return undefined;
    for (const rule of named) {
      const other = others.find((subject) => ruleMatches(rule, subject));
      if (other !== undefined) return plain(other);
    }
    return undefined;
  }
}

function plain({ group, version, resource }: GroupVersionResource): GroupVersionResource {
  return { group, version, resource };
}

/** The resource of a request, and the other resources that serve the same objects. */
export interface RuleSubjects {
  readonly own: RuleSubject;
  readonly others: readonly RuleSubject[];
}

export function subjectsOf(request: AdmissionRequest): RuleSubjects {
  const { context, operation } = request;
  const own = resourceOf(request);
  const subject = (name: GroupVersionResource): RuleSubject => ({
    ...name,
    operation,
    subresource: context.info.subresource,
    isNamespaced: context.resource.type.scope === 'Namespaced',
  });
  const others = context.resources
    .namesOf(own)
    .filter(({ group, version }) => group !== own.group || version !== own.version);
  return { own: subject(own), others: others.map(subject) };
}
