import { forbiddenError } from '@pintle/machinery/errors';
import type { AdmissionRequest } from '../../resource/admission-request.ts';
import type { MatchConditions } from '../matching/match-conditions.ts';
import { NamespaceLabels, objectMatches } from '../matching/selectors.ts';
import { nameOf } from '../matching/subject-names.ts';
import { RequestVersions } from '../matching/versions.ts';
import type { Hook } from './hook.ts';
import type { Candidate } from './hook-source.ts';

/** Decides which candidates are called for one request. Caches what it reads for that. */
export class Invocations {
  readonly versions: RequestVersions;
  readonly #request: AdmissionRequest;
  readonly #namespace: NamespaceLabels;

  constructor(request: AdmissionRequest) {
    this.#request = request;
    this.versions = new RequestVersions(request);
    this.#namespace = new NamespaceLabels(request);
  }

  /** True when selectors and conditions match the object as it is now. Rejects when that cannot be decided. */
  async includes({ hook, resource }: Candidate): Promise<boolean> {
    if (!objectMatches(hook.objectSelector, this.#request)) return false;
    if (!(await this.#namespace.match(hook.namespaceSelector))) return false;
    if (hook.conditions.length === 0) return true;
    const conditions = await conditionsOf(hook);
    const matched = await conditions.evaluate(this.#request, await this.versions.as(resource));
    if ('isMatch' in matched) return matched.isMatch;
    if (hook.ignoresFailures) return false;
    const { group, resource: plural } = this.#request.context.info;
    throw forbiddenError({ group, resource: plural }, nameOf(this.#request), matched.error);
  }
}

const compiled = new WeakMap<Hook, MatchConditions>();

/** Compiles conditions when first needed: most webhooks have none, and the compiler is much code. */
async function conditionsOf(hook: Hook): Promise<MatchConditions> {
  const known = compiled.get(hook);
  if (known !== undefined) return known;
  const { MatchConditions: Conditions } = await import('../matching/match-conditions.ts');
  const conditions = new Conditions(hook.conditions);
  compiled.set(hook, conditions);
  return conditions;
}
