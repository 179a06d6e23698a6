import type { GroupVersionResource, KubernetesObject } from '@pintle/machinery';
import type { AdmissionRequest } from '../../resource/admission-request.ts';
import type { ServedResource } from '../../resource/served-resource.ts';
import { NamespaceLabels } from '../matching/selectors.ts';
import { ConfigurationFailure, parameterResource, parametersOf } from './parameters.ts';
import type { BindingObject, Bound, BoundPolicy, Candidates, PolicyObject } from './policy-source.ts';

/** A policy to be evaluated for a request, with one of its parameters if it has any. */
export interface Invocation<P extends PolicyObject, B extends BindingObject> {
  readonly policy: BoundPolicy<P, B>;
  readonly bound: Bound<B>;
  /** The resource that the policy's rules match. */
  readonly resource: GroupVersionResource;
  readonly params: KubernetesObject | undefined;
}

/** A policy that matches a request but cannot be evaluated; without `bound`, for none of its bindings. */
interface Misconfiguration<P extends PolicyObject, B extends BindingObject> {
  readonly policy: BoundPolicy<P, B>;
  readonly bound?: Bound<B>;
  readonly message: string;
}

type Found<P extends PolicyObject, B extends BindingObject> = Invocation<P, B> | Misconfiguration<P, B>;

/** Yields the policies that match a request, in order, once per binding and parameter. */
export async function* matchedPolicies<P extends PolicyObject, B extends BindingObject>(
  { subjects, policies }: Candidates<P, B>,
  request: AdmissionRequest,
): AsyncGenerator<Found<P, B>, void> {
  const namespace = new NamespaceLabels(request);
  for (const policy of policies) {
    const resource = await policy.match.match(request, subjects, namespace);
    if (resource === undefined) continue;
    const bindings: Bound<B>[] = [];
    for (const bound of policy.bindings) {
      if ((await bound.match.match(request, subjects, namespace)) !== undefined) bindings.push(bound);
    }
    yield* invocationsOf(request, policy, bindings, resource);
  }
}

async function* invocationsOf<P extends PolicyObject, B extends BindingObject>(
  request: AdmissionRequest,
  policy: BoundPolicy<P, B>,
  bindings: readonly Bound<B>[],
  resource: GroupVersionResource,
): AsyncGenerator<Found<P, B>, void> {
  const paramKind = policy.policy.spec?.paramKind;
  let kind: ServedResource | undefined;
  try {
    kind = paramKind && (await parameterResource(request.context.resources, paramKind));
  } catch (error) {
    yield { policy, message: `failed to configure policy: ${failureIn(error)}` };
    return;
  }
  for (const bound of bindings) {
    const parameters = parametersOf(request, kind, bound.binding.spec?.paramRef);
    for (;;) {
      let next: IteratorResult<KubernetesObject | undefined, void>;
      try {
        next = await parameters.next();
      } catch (error) {
        yield { policy, bound, message: `failed to configure binding: ${failureIn(error)}` };
        break;
      }
      if (next.done) break;
      yield { policy, bound, resource, params: next.value };
    }
  }
}

/** Rethrows errors that are not a `ConfigurationFailure`. */
function failureIn(error: unknown): string {
  if (!(error instanceof ConfigurationFailure)) throw error;
  return error.message;
}
