import { type FieldError, type FieldPath, forbidden } from '@pintle/machinery/errors';
import { validateAnnotations, validateLabels } from '@pintle/machinery/names';
import type { PodTemplateSpec } from '../../../generated/core/v1.ts';
import { validatePodAnnotations, validateProfilesAgree } from './annotations.ts';
import { templateContext } from './context.ts';
import { validatePodSpec } from './pod-spec.ts';

/** A template from which Pods are made. Errors about labels are reported without `metadata` in their path. */
export function validatePodTemplate(template: PodTemplateSpec | undefined, path: FieldPath): FieldError[] {
  const { metadata = {}, spec = { containers: [] } } = template ?? {};
  return [
    ...validateLabels(metadata.labels, path.child('labels')),
    ...validateAnnotations(metadata.annotations, path.child('annotations')),
    ...validatePodAnnotations(metadata.annotations, spec, path.child('annotations')),
    ...validatePodSpec(spec, templateContext, path.child('spec')),
    ...validateProfilesAgree(metadata, spec, path.child('spec')),
    ...((spec.ephemeralContainers ?? []).length > 0
      ? [forbidden(path.child('spec', 'ephemeralContainers'), 'ephemeral containers not allowed in pod template')]
      : []),
  ];
}
