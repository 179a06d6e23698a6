import type { GroupVersionResource } from '@pintle/machinery';
import type { FollowedObjects } from '../../cache/followed-objects.ts';
import type { AdmissionRequest } from '../../resource/admission-request.ts';
import type { ResourceRegistry } from '../../resource/resource-registry.ts';
import type { ServedResource } from '../../resource/served-resource.ts';
import type { RuleSubject } from '../matching/rules.ts';
import { isExempt, ruleMatches } from '../matching/rules.ts';
import { resourceOf } from '../matching/subject-names.ts';
import type { Configuration, Hook } from './hook.ts';
import { hooksOf } from './hook.ts';

/** A webhook whose rules match a request, and the resource that they match. */
export interface Candidate {
  readonly hook: Hook;
  readonly resource: GroupVersionResource;
}

/**
 * The webhooks of all configurations of one kind. Webhooks with rules for a verb and resource are found once and cached
 * until a configuration changes, so that requests without any lose no time.
 */
export class HookSource<T extends Configuration> {
  readonly #configurations: FollowedObjects<T>;
  #generation = -1;
  #hooks: readonly Hook[] = [];
  /** Cached by resource: a changed definition is served by new resources. */
  #candidates = new WeakMap<ServedResource, Map<string, readonly Candidate[]>>();

  constructor(configurations: FollowedObjects<T>) {
    this.#configurations = configurations;
  }

  /** False when no webhook matches the request; true when that is not known at once. */
  mayMatch(request: AdmissionRequest): boolean {
    return !this.#configurations.isUpToDate || this.#candidatesFor(request).length > 0;
  }

  async candidatesFor(request: AdmissionRequest): Promise<readonly Candidate[]> {
    await this.#configurations.upToDate();
    return this.#candidatesFor(request);
  }

  #candidatesFor(request: AdmissionRequest): readonly Candidate[] {
    if (this.#generation !== this.#configurations.generation) this.#compile();
    if (this.#hooks.length === 0) return NONE;
    const { resource, resources, info } = request.context;
    const byRequest = this.#candidates.get(resource) ?? new Map<string, readonly Candidate[]>();
    this.#candidates.set(resource, byRequest);
    const key = `${request.operation} ${info.subresource}`;
    const known = byRequest.get(key);
    if (known !== undefined) return known;
    const found = isExempt(info) ? NONE : choose(this.#hooks, request, resources);
    byRequest.set(key, found);
    return found;
  }

  #compile(): void {
    this.#generation = this.#configurations.generation;
    this.#hooks = hooksOf(this.#configurations.known);
    this.#candidates = new WeakMap();
  }
}

const NONE: readonly Candidate[] = [];

function choose(hooks: readonly Hook[], request: AdmissionRequest, resources: ResourceRegistry): Candidate[] {
  const own = resourceOf(request);
  const isOwn = ({ group, version }: GroupVersionResource) => group === own.group && version === own.version;
  const others = resources.namesOf(own).filter((name) => !isOwn(name));
  const subject = (name: GroupVersionResource): RuleSubject => ({
    ...name,
    operation: request.operation,
    subresource: request.context.info.subresource,
    isNamespaced: request.context.resource.type.scope === 'Namespaced',
  });
  return hooks.flatMap((hook) => {
    const names = hook.rules.some((rule) => ruleMatches(rule, subject(own))) ? [own] : [];
    if (names.length === 0 && hook.takesEquivalents) {
      // Earlier rules come first, whatever version they name.
      names.push(...hook.rules.flatMap((rule) => others.filter((name) => ruleMatches(rule, subject(name)))));
    }
    return names.slice(0, 1).map((resource) => ({ hook, resource }));
  });
}
