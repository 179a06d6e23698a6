import { type FieldError, FieldPath, forbidden, quote } from '@pintle/machinery/errors';
import { deepEqual } from '@pintle/machinery/json';
import type { SubresourceRules } from '@pintle/machinery/rules';
import type { Pod } from '../../../generated/core/v1.ts';
import { eachItem } from '../../common/checks.ts';
import { goForm } from '../../common/go-form/go-form.ts';
import { diffBudget, jsonDiff } from '../../common/go-form/unified-diff.ts';
import { keep, keepMetadata } from '../../common/object-fields.ts';
import { mirrorAnnotation, validatePodAnnotationsUpdate } from '../../common/pod/validation/security/annotations.ts';
import { validateAnyPod } from './validate.ts';

/** Containers for debugging a running Pod. They can be added, but not removed. */
export const ephemeralContainersRules: SubresourceRules<Pod> = {
  prepareForUpdate(next, previous) {
    const added = next.spec?.ephemeralContainers;
    const { ephemeralContainers: _, ...spec } = previous.spec ?? { containers: [] };
    next.spec = { ...spec, ...(added && { ephemeralContainers: added }) };
    keep(next, previous, 'status');
    keepMetadata(next, previous);
  },
  validateUpdate(next, previous) {
    if (previous.metadata.annotations?.[mirrorAnnotation] !== undefined)
      return [forbidden(FieldPath.of(''), 'static pods do not support ephemeral containers')];
    return [
      ...validateAnyPod(next),
      ...validatePodAnnotationsUpdate(
        next.metadata.annotations,
        previous.metadata.annotations,
        FieldPath.of('metadata', 'annotations'),
      ),
      ...validateKept(next, previous),
    ];
  },
};

function validateKept(next: Pod, previous: Pod): FieldError[] {
  const path = FieldPath.of('spec', 'ephemeralContainers');
  const now = new Map((next.spec?.ephemeralContainers ?? []).map((container) => [container.name, container]));
  const budget = diffBudget();
  return eachItem(previous.spec?.ephemeralContainers, path, (old) => {
    const subject = `existing ephemeral containers ${quote(old.name)}`;
    const kept = now.get(old.name);
    if (kept === undefined) return [forbidden(path, `${subject} may not be removed\n`)];
    if (deepEqual(kept, old)) return [];
    const [before, after] = [goForm(old, 'core.EphemeralContainer'), goForm(kept, 'core.EphemeralContainer')];
    const difference = jsonDiff(before, after, budget);
    return [forbidden(path, `${subject} may not be changed\n${difference}`)];
  });
}
