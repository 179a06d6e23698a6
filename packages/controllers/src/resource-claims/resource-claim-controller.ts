import { Pod } from '@pintle/kinds/core/v1';
import { ResourceClaim, ResourceClaimTemplate } from '@pintle/kinds/resource/v1';
import type { KubernetesObject } from '@pintle/machinery';
import type { Manager, NamespacedRequest } from '@pintle/operator';
import { eventRecorder } from '../common/record-event.ts';
import { ClaimCreator } from './claim-creator.ts';
import { claimNamesOf } from './claims-of-pod.ts';
import { releaseClaim, reserveClaims } from './release-claim.ts';

/** Creates claims from pods' templates, and releases claims that no pod will use any more. */
export function addResourceClaimController(manager: Manager): void {
  const creator = new ClaimCreator(eventRecorder(manager, 'resource_claim'));
  manager
    .controller(Pod, 'resourceclaim-pods')
    .filter(({ object }) => hasClaims(object))
    .watches(ResourceClaim, (claim) => podsNaming(manager, claim))
    .watches(ResourceClaimTemplate, (template) => podsFrom(manager, template))
    .reconcile(async (pod, { client, clock }) => {
      if (pod.metadata.deletionTimestamp) return;
      await creator.createClaims(client, pod, clock.now());
      await reserveClaims(client, pod);
    });
  manager
    .controller(ResourceClaim, 'resourceclaim')
    .watches(Pod, (pod) => requestsIn(pod, claimNamesOf(pod)))
    .reconcile(async (claim, { client }) => await releaseClaim(client, claim));
}

function hasClaims({ spec }: Pod): boolean {
  return (spec?.resourceClaims?.length ?? 0) > 0;
}

function podsNaming(manager: Manager, claim: ResourceClaim): NamespacedRequest[] {
  return podsOf(manager, claim, (pod) => claimNamesOf(pod).includes(claim.metadata.name ?? ''));
}

function podsFrom(manager: Manager, template: ResourceClaimTemplate): NamespacedRequest[] {
  const { name } = template.metadata;
  return podsOf(manager, template, ({ spec }) =>
    (spec?.resourceClaims ?? []).some(({ resourceClaimTemplateName }) => resourceClaimTemplateName === name),
  );
}

function podsOf(
  { informers }: Manager,
  { metadata }: KubernetesObject,
  isMatch: (pod: Pod) => boolean,
): NamespacedRequest[] {
  const { namespace = '' } = metadata;
  const pods = informers.find(Pod)?.cache.list({ namespace }) ?? [];
  return pods
    .filter((pod) => hasClaims(pod) && isMatch(pod))
    .map((pod) => ({ namespace, name: pod.metadata.name ?? '' }));
}

function requestsIn({ metadata: { namespace = '' } }: KubernetesObject, names: readonly string[]): NamespacedRequest[] {
  return names.map((name) => ({ namespace, name }));
}
