import type { GroupVersionResource, KubernetesObject } from '@pintle/machinery';
import type { AdmissionRequest } from '../admission.ts';
import { NamespaceLabels } from '../matching/selectors.ts';
import { ConfigurationFailure } from './configuration-failure.ts';
import { parameterResource, parametersOf } from './parameters.ts';
import type { BindingObject, Bound, BoundPolicy, Candidates, PolicyObject } from './policy-source.ts';

/** A policy to be evaluated for a request, with one of its parameters if it has any. */
export interface Invocation<P extends PolicyObject, B extends BindingObject> {
  readonly policy: BoundPolicy<P, B>;
  readonly bound: Bound<B>;
  /** The name of the resource by which the policy's rules match. */
  readonly resource: GroupVersionResource;
  readonly params: KubernetesObject | undefined;
}

/** A policy that is about a request and cannot be evaluated; without `bound`, by no binding at all. */
export interface Misconfiguration<P extends PolicyObject, B extends BindingObject> {
  readonly policy: BoundPolicy<P, B>;
  readonly bound?: Bound<B>;
  readonly message: string;
}

type Found<P extends PolicyObject, B extends BindingObject> = Invocation<P, B> | Misconfiguration<P, B>;

/** The policies that are about a request, in order, with all their parameters. */
export async function matchedPolicies<P extends PolicyObject, B extends BindingObject>(
  { subjects, policies }: Candidates<P, B>,
  request: AdmissionRequest,
): Promise<Found<P, B>[]> {
  const namespace = new NamespaceLabels(request);
  const found: Found<P, B>[] = [];
  for (const policy of policies) {
    const resource = await policy.match.match(request, subjects, namespace);
    if (resource === undefined) continue;
    const bindings: Bound<B>[] = [];
    for (const bound of policy.bindings) {
      if ((await bound.match.match(request, subjects, namespace)) !== undefined) bindings.push(bound);
    }
    found.push(...(await invocationsOf(request, policy, bindings, resource)));
  }
  return found;
}

async function invocationsOf<P extends PolicyObject, B extends BindingObject>(
  request: AdmissionRequest,
  policy: BoundPolicy<P, B>,
  bindings: readonly Bound<B>[],
  resource: GroupVersionResource,
): Promise<Found<P, B>[]> {
  const paramKind = policy.policy.spec?.paramKind;
  const kind = await attempt(async () => paramKind && (await parameterResource(request.call.resources, paramKind)));
  if ('failure' in kind) return [{ policy, message: `failed to configure policy: ${kind.failure}` }];
  const found: Found<P, B>[] = [];
  for (const bound of bindings) {
    const params = await attempt(() => parametersOf(request, kind.value, bound.binding.spec?.paramRef));
    if ('failure' in params) found.push({ policy, bound, message: `failed to configure binding: ${params.failure}` });
    else found.push(...params.value.map((each) => ({ policy, bound, resource, params: each })));
  }
  return found;
}

async function attempt<T>(action: () => Promise<T>): Promise<{ readonly value: T } | { readonly failure: string }> {
  try {
    return { value: await action() };
  } catch (error) {
    if (!(error instanceof ConfigurationFailure)) throw error;
    return { failure: error.message };
  }
}
