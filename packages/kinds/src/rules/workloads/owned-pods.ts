import type { KubernetesObject } from '@pintle/machinery';
import { type FieldError, FieldPath, forbidden, invalid, notSupported, required } from '@pintle/machinery/errors';
import { type CompiledLabelSelector, compileLabelSelector, validateLabelSelector } from '@pintle/machinery/selectors';
import type { PodTemplateSpec } from '../../generated/core/v1.ts';
import { checkUnchanged, shownMap } from '../common/checks.ts';
import { isBrokenSelector, isEmptySelector, type MaybeSelector, shownSelector } from '../common/labels.ts';
import { validatePodTemplate } from '../common/pod/validation/pod-spec.ts';
import { hostnameWarnings, podTemplateWarnings } from '../common/pod/warnings/warnings.ts';

/** Requires a selector that is not empty. `kind` is the name of its owner in errors. */
export function validateOwnSelector(selector: MaybeSelector, kind: string, path: FieldPath): FieldError[] {
  if (!selector) return [required(path)];
  const errors = validateLabelSelector(selector, path);
  if (isEmptySelector(selector))
    errors.push(invalid(path, shownSelector(selector), `empty selector is invalid for ${kind}`));
  return errors;
}

/** The selector must not change. */
export function validateSameSelector(next: MaybeSelector, previous: MaybeSelector): FieldError[] {
  return checkUnchanged(FieldPath.of('spec', 'selector'), next, previous, shownSelector(next));
}

/**
 * Checks the template of a ReplicaSet or of a controller of ReplicaSets: `selector` must match it, and its Pods must
 * always restart.
 */
export function validateReplicaTemplate(
  template: PodTemplateSpec | undefined,
  selector: MaybeSelector,
  path: FieldPath,
): FieldError[] {
  const compiled = tryCompile(selector);
  if (compiled === undefined) return [invalid('spec.selector', shownSelector(selector), 'invalid label selector')];
  return [
    ...validateSelected(template, compiled, path),
    ...validatePodTemplate(template, path),
    ...validateRunsForEver(template, 'ReplicaSet', path),
  ];
}

/** Warns about controllers of Pods: about the name of a new one, and about a template that has changed. */
export function ownerWarnings(
  next: Owner,
  previous: Owner | undefined,
  template: PodTemplateSpec | undefined,
): string[] {
  if (previous !== undefined && next.metadata.generation === previous.metadata.generation) return [];
  return [
    ...(previous === undefined ? hostnameWarnings(next.metadata.name, 'Pod names and hostnames') : []),
    ...podTemplateWarnings(template, FieldPath.of('spec', 'template')),
  ];
}

type Owner = Pick<KubernetesObject, 'metadata'>;

/** Returns `undefined` when the selector is invalid. An absent one matches nothing. */
export function tryCompile(selector: MaybeSelector): CompiledLabelSelector | undefined {
  return isBrokenSelector(selector) ? undefined : compileLabelSelector(selector);
}

/** The selector must match the Pods made from the template. */
export function validateSelected(
  template: PodTemplateSpec | undefined,
  selector: CompiledLabelSelector,
  path: FieldPath,
): FieldError[] {
  const labels = template?.metadata?.labels;
  if (selector.matches(labels)) return [];
  return [invalid(path.child('metadata', 'labels'), shownMap(labels), '`selector` does not match template `labels`')];
}

/** Pods of a controller must always restart. */
export function validateRunsForEver(
  template: PodTemplateSpec | undefined,
  kind: string,
  path: FieldPath,
): FieldError[] {
  const { restartPolicy = '', activeDeadlineSeconds } = template?.spec ?? {};
  const errors: FieldError[] = [];
  if (restartPolicy !== 'Always')
    errors.push(notSupported(path.child('spec', 'restartPolicy'), restartPolicy, ['Always']));
  if (activeDeadlineSeconds !== undefined)
    errors.push(
      forbidden(path.child('spec', 'activeDeadlineSeconds'), `activeDeadlineSeconds in ${kind} is not Supported`),
    );
  return errors;
}

/** Sets absent replicas to 0, Go's zero value. */
export function setNoReplicas({ spec }: { spec?: { replicas?: number } }): void {
  if (spec !== undefined) spec.replicas = 0;
}
