import type { Authorizer, Decision, UserInfo } from '@pintle/apiserver';
import type { UserRules } from '@pintle/apiserver/auth';
import { StoreFollower } from '@pintle/apiserver/cache';
import type { RequestInfo } from '@pintle/apiserver/request';
import type { Runnable } from '@pintle/async';
import type { PolicyRule } from '@pintle/kinds/rbac/v1';
import type { Store } from '@pintle/store';
import { prefixRange } from '@pintle/store';
import { RBAC_GROUP } from './known-binding.ts';
import type { KnownRole } from './known-role.ts';
import { listRules, MAX_LISTED_SIZE } from './list-rules.ts';
import { RbacIndex } from './rbac-index.ts';

/**
 * Role-based access control: a user may do what a rule of a bound role allows, and nothing else. A grant, and its
 * removal, counts for every request that begins after its write was acknowledged.
 */
export class RbacAuthorizer implements Authorizer, Runnable {
  readonly #index = new RbacIndex();
  readonly #follower: StoreFollower;

  constructor(store: Store) {
    this.#follower = new StoreFollower(store, prefixRange(`${RBAC_GROUP}/`), this.#index);
  }

  async load(): Promise<void> {
    await this.#follower.load();
  }

  async run(options: { readonly signal: AbortSignal }): Promise<void> {
    await this.#follower.run(options);
  }

  authorize(user: UserInfo, info: RequestInfo): Decision | Promise<Decision> {
    const pending = this.#follower.caughtUp();
    return pending === undefined ? this.#decide(user, info) : pending.then(() => this.#decide(user, info));
  }

  async rulesOf(user: UserInfo, namespace: string): Promise<UserRules> {
    await this.#follower.caughtUp();
    const problems = [...this.#index.problemsOf(user, namespace)];
    const { rules, isComplete } = await listRules(
      () => this.#index.grantsOf(user, namespace),
      this.#index.rolesOf(user, namespace),
    );
    if (!isComplete) problems.push(`not every rule is listed: they have more than ${MAX_LISTED_SIZE} characters`);
    return {
      resourceRules: rules.filter(isResourceRule).map(toResourceRule),
      nonResourceRules: rules.filter((rule) => !isResourceRule(rule)).map(toPathRule),
      incomplete: !isComplete,
      ...(problems.length > 0 && { evaluationError: describeProblems(problems) }),
    };
  }

  /** Returns every rule of a user in the cluster and in a namespace, and the bound roles that do not exist. */
  async heldRules(user: UserInfo, namespace: string): Promise<HeldByUser> {
    await this.#follower.caughtUp();
    return {
      rules: rulesIn(this.#index.rolesOf(user, namespace)),
      problems: [...this.#index.problemsOf(user, namespace)],
    };
  }

  /** Returns the rules of the role that a binding refers to; `undefined` when the role does not exist. */
  async roleRules(roleKind: string, name: string, namespace: string): Promise<readonly PolicyRule[] | undefined> {
    await this.#follower.caughtUp();
    return this.#index.rulesOf(roleKind, name, namespace);
  }

  #decide(user: UserInfo, info: RequestInfo): Decision {
    const reason = this.#index.reasonFor(user, info);
    if (reason !== undefined) return { allowed: true, reason: `RBAC: allowed by ${reason}` };
    const problems = this.#index.problemsOf(user, info.kind === 'resource' ? info.namespace : '');
    return problems.size === 0 ? DENIED : { allowed: false, reason: `RBAC: ${describeProblems([...problems])}` };
  }
}

interface HeldByUser {
  /** Can be iterated once. Has each role once, however many bindings grant it. */
  readonly rules: Iterable<PolicyRule>;
  /** Bound roles that do not exist. */
  readonly problems: readonly string[];
}

const DENIED: Decision = { allowed: false, reason: '' };

function describeProblems(problems: readonly string[]): string {
  return problems.length === 1 ? problems[0]! : `[${problems.join(', ')}]`;
}

function* rulesIn(roles: Iterable<KnownRole>): Generator<PolicyRule> {
  for (const role of roles) yield* role.rules;
}

function isResourceRule({ resources = [] }: PolicyRule): boolean {
  return resources.length > 0;
}

function toResourceRule({ verbs, apiGroups, resources, resourceNames }: PolicyRule) {
  return {
    verbs,
    ...(apiGroups?.length && { apiGroups }),
    ...(resources?.length && { resources }),
    ...(resourceNames?.length && { resourceNames }),
  };
}

function toPathRule({ verbs, nonResourceURLs }: PolicyRule) {
  return { verbs, ...(nonResourceURLs?.length && { nonResourceURLs }) };
}
