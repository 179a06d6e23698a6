import type { MatchResources, ParamKind, ParamRef } from '@pintle/kinds/admissionregistration/v1';
import type { KubernetesObject } from '@pintle/machinery';
import type { FollowedObjects } from '../../cache/followed-objects.ts';
import type { AdmissionRequest } from '../../resource/admission-request.ts';
import type { ServedResource } from '../../resource/served-resource.ts';
import { isExempt } from '../matching/rules.ts';
import type { RuleSubjects } from './resource-match.ts';
import { ResourceMatch, subjectsOf } from './resource-match.ts';

/** Fields that validating and mutating policies share. */
export interface PolicyObject extends KubernetesObject {
  readonly spec?: {
    readonly failurePolicy?: string;
    readonly paramKind?: ParamKind;
    readonly matchConstraints?: MatchResources;
  };
}

export interface BindingObject extends KubernetesObject {
  readonly spec?: {
    readonly policyName?: string;
    readonly paramRef?: ParamRef;
    readonly matchResources?: MatchResources;
  };
}

/** A policy with its bindings, at least one. */
export interface BoundPolicy<P extends PolicyObject, B extends BindingObject> {
  readonly name: string;
  readonly policy: P;
  readonly match: ResourceMatch;
  readonly ignoresFailures: boolean;
  readonly bindings: readonly Bound<B>[];
}

export interface Bound<B extends BindingObject> {
  readonly name: string;
  readonly binding: B;
  readonly match: ResourceMatch;
}

/** Policies whose rules may match a request. */
export interface Candidates<P extends PolicyObject, B extends BindingObject> {
  readonly subjects: RuleSubjects;
  readonly policies: readonly BoundPolicy<P, B>[];
}

/**
 * The bound policies of one kind. Policies with rules for a verb and resource are found once and cached until a policy
 * or binding changes, so that requests without any lose no time.
 */
export class PolicySource<P extends PolicyObject, B extends BindingObject> {
  readonly #policies: FollowedObjects<P>;
  readonly #bindings: FollowedObjects<B>;
  #policiesSeen = -1;
  #bindingsSeen = -1;
  #bound: readonly BoundPolicy<P, B>[] = [];
  /** Cached by resource: a changed definition is served by new resources. */
  #candidates = new WeakMap<ServedResource, Map<string, Candidates<P, B> | undefined>>();

  constructor(policies: FollowedObjects<P>, bindings: FollowedObjects<B>) {
    this.#policies = policies;
    this.#bindings = bindings;
  }

  /** False when no policy matches the request; true when that is not known at once. */
  mayMatch(request: AdmissionRequest): boolean {
    const isKnown = this.#policies.isUpToDate && this.#bindings.isUpToDate;
    return !isKnown || this.#candidatesFor(request) !== undefined;
  }

  async candidatesFor(request: AdmissionRequest): Promise<Candidates<P, B> | undefined> {
    await this.#policies.upToDate();
    await this.#bindings.upToDate();
    return this.#candidatesFor(request);
  }

  #candidatesFor(request: AdmissionRequest): Candidates<P, B> | undefined {
    this.#refresh();
    if (this.#bound.length === 0) return undefined;
    const { resource, info } = request.context;
    const byRequest = this.#candidates.get(resource) ?? new Map<string, Candidates<P, B> | undefined>();
    this.#candidates.set(resource, byRequest);
    const key = `${request.operation} ${info.subresource}`;
    if (byRequest.has(key)) return byRequest.get(key);
    const found = isExempt(info) || isReview(info) ? undefined : this.#choose(subjectsOf(request));
    byRequest.set(key, found);
    return found;
  }

  #choose(subjects: RuleSubjects): Candidates<P, B> | undefined {
    const policies = this.#bound.filter(({ match }) => match.mayMatch(subjects));
    return policies.length === 0 ? undefined : { subjects, policies };
  }

  #refresh(): void {
    const { generation: policies } = this.#policies;
    const { generation: bindings } = this.#bindings;
    if (policies === this.#policiesSeen && bindings === this.#bindingsSeen) return;
    this.#policiesSeen = policies;
    this.#bindingsSeen = bindings;
    this.#bound = bind(this.#policies.known, this.#bindings.known);
    this.#candidates = new WeakMap();
  }
}

function bind<P extends PolicyObject, B extends BindingObject>(
  policies: readonly P[],
  bindings: readonly B[],
): BoundPolicy<P, B>[] {
  const byPolicy = new Map<string, B[]>();
  for (const binding of [...bindings].sort(byName)) {
    const name = binding.spec?.policyName ?? '';
    byPolicy.set(name, [...(byPolicy.get(name) ?? []), binding]);
  }
  return [...policies].sort(byName).flatMap((policy) => {
    const bound = byPolicy.get(nameOf(policy)) ?? [];
    if (bound.length === 0) return [];
    return {
      name: nameOf(policy),
      policy,
      match: new ResourceMatch(policy.spec?.matchConstraints),
      ignoresFailures: policy.spec?.failurePolicy === 'Ignore',
      bindings: bound.map((binding) => ({
        name: nameOf(binding),
        binding,
        match: new ResourceMatch(binding.spec?.matchResources),
      })),
    };
  });
}

function byName(left: KubernetesObject, right: KubernetesObject): number {
  return nameOf(left) < nameOf(right) ? -1 : 1;
}

function nameOf({ metadata }: KubernetesObject): string {
  return metadata.name ?? '';
}

/** Reviews are not writes, although they are created. */
const REVIEWS = new Set([
  'authentication.k8s.io/selfsubjectreviews',
  'authentication.k8s.io/tokenreviews',
  'authorization.k8s.io/localsubjectaccessreviews',
  'authorization.k8s.io/selfsubjectaccessreviews',
  'authorization.k8s.io/selfsubjectrulesreviews',
  'authorization.k8s.io/subjectaccessreviews',
]);

function isReview({ group, resource }: { readonly group: string; readonly resource: string }): boolean {
  return REVIEWS.has(`${group}/${resource}`);
}
