import { type FieldError, FieldPath, forbidden, required } from '@pintle/machinery/errors';
import type { Pod, PodSpec } from '../../../generated/core/v1.ts';
import { eachItem } from '../../common/checks.ts';
import { validateImageSpelling } from '../../common/pod/validation/containers/containers.ts';
import { validatePodSpec } from '../../common/pod/validation/pod-spec.ts';
import { validatePodAnnotations, validateProfilesAgree } from '../../common/pod/validation/security/annotations.ts';

const specPath = FieldPath.of('spec');

export function validateNewPod(pod: Pod): FieldError[] {
  const { spec, metadata } = pod;
  if (spec === undefined) return [required(specPath)];
  return [
    ...validateAnyPod(pod),
    ...((spec.ephemeralContainers ?? []).length > 0
      ? [forbidden(specPath.child('ephemeralContainers'), 'cannot be set on create')]
      : []),
    ...(spec.nodeName && (spec.schedulingGates ?? []).length > 0
      ? [forbidden(specPath.child('nodeName'), 'cannot be set until all schedulingGates have been cleared')]
      : []),
    ...validateProfilesAgree(metadata, spec, specPath),
  ];
}

/** Checks the rules that hold for new and existing Pods. */
export function validateAnyPod({ spec = { containers: [] }, metadata }: Pod): FieldError[] {
  return [
    ...validatePodAnnotations(metadata.annotations, spec, FieldPath.of('metadata', 'annotations')),
    ...validatePodSpec(spec, { isPod: true, metadata }, specPath),
    ...validateTokenHasAccount(spec),
    ...eachItem(spec.containers, specPath.child('containers'), validateImageSpelling),
    ...eachItem(spec.initContainers, specPath.child('initContainers'), validateImageSpelling),
  ];
}

function validateTokenHasAccount({ serviceAccountName, volumes }: PodSpec): FieldError[] {
  if (serviceAccountName) return [];
  return eachItem(volumes, specPath.child('volumes'), ({ projected }, at) =>
    eachItem(projected?.sources, at.child('projected', 'sources'), ({ serviceAccountToken }, sourcePath) =>
      serviceAccountToken === undefined
        ? []
        : [
            forbidden(
              sourcePath.child('serviceAccountToken'),
              'must not be specified when serviceAccountName is not set',
            ),
          ],
    ),
  );
}
