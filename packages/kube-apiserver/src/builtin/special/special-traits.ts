import type { ServedResource } from '@pintle/apiserver/resource';
import { toCoreEvent, toNewEvent, toStoredAutoscaler, toVersion1 } from '@pintle/kinds/rules';
import type { GroupVersionResource, KubernetesObject } from '@pintle/machinery';
import { formatGroupVersion } from '@pintle/machinery';
import { table } from '@pintle/machinery/table';
import type { BuiltinServices } from '../builtin-services.ts';
import { bindingEndpoints } from '../subresources/binding.ts';
import { accessReviews, rulesReviews, selfReviews } from './access-reviews.ts';
import { componentStatuses } from './component-statuses.ts';
import { checkAdministeredClaim, checkAdministeredTemplate } from './device-administration.ts';
import { serviceAllocator } from './service-allocator.ts';
import { tokenReviews, whoAmI } from './user-reviews.ts';

type Traits = Partial<ServedResource>;

const EVENT_TTL_MS = 60 * 60 * 1000;

/** Returns the special behaviour of a built-in resource, if it has any. */
export function specialTraits(services: BuiltinServices, gvr: GroupVersionResource): Traits {
  const name = `${formatGroupVersion(gvr)}/${gvr.resource}`;
  if (name === 'authentication.k8s.io/v1/tokenreviews') return { endpoints: tokenReviews(services) };
  return TRAITS[name] ?? {};
}

const TRAITS: Readonly<Record<string, Traits>> = table({
  'v1/services': { allocator: serviceAllocator },
  'v1/bindings': { endpoints: bindingEndpoints },
  'v1/componentstatuses': {
    endpoints: componentStatuses,
    deprecation: 'v1 ComponentStatus is deprecated in v1.19+',
  },
  'v1/endpoints': { deprecation: 'v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice' },
  'v1/events': { ttlMs: EVENT_TTL_MS },
  // Stored as events of the core group.
  'events.k8s.io/v1/events': {
    ttlMs: EVENT_TTL_MS,
    storage: { group: '', resource: 'events' },
    conversion: converting(toNewEvent, toCoreEvent),
  },
  'autoscaling/v1/horizontalpodautoscalers': { conversion: converting(toVersion1, toStoredAutoscaler) },
  'resource.k8s.io/v1/resourceclaims': { checkRelatedObjects: checkAdministeredClaim },
  'resource.k8s.io/v1/resourceclaimtemplates': { checkRelatedObjects: checkAdministeredTemplate },
  'authentication.k8s.io/v1/selfsubjectreviews': { endpoints: whoAmI },
  'authorization.k8s.io/v1/subjectaccessreviews': { endpoints: accessReviews },
  'authorization.k8s.io/v1/localsubjectaccessreviews': { endpoints: accessReviews },
  'authorization.k8s.io/v1/selfsubjectaccessreviews': { endpoints: selfReviews },
  'authorization.k8s.io/v1/selfsubjectrulesreviews': { endpoints: rulesReviews },
});

/** Casts conversions of specific types: objects that reach them have those types. */
function converting<Stored, Shown>(
  fromStorage: (object: Stored) => Shown,
  toStorage: (object: Shown) => Stored,
): NonNullable<ServedResource['conversion']> {
  return {
    fromStorage: fromStorage as unknown as (object: KubernetesObject) => KubernetesObject,
    toStorage: toStorage as unknown as (object: KubernetesObject) => KubernetesObject,
  };
}
