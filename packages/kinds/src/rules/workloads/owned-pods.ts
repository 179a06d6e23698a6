import { type FieldError, type FieldPath, forbidden, invalid, notSupported, required } from '@pintle/machinery/errors';
import { type CompiledLabelSelector, compileLabelSelector, validateLabelSelector } from '@pintle/machinery/selectors';
import type { PodTemplateSpec } from '../../generated/core/v1.ts';
import {
  isBrokenSelector,
  isEmptySelector,
  type MaybeSelector,
  shownMap,
  shownSelector,
} from '../common/pod-validation/index.ts';

/** A selector that must be there and select something less than everything. `kind` is how errors call its owner. */
export function validateOwnSelector(selector: MaybeSelector, kind: string, path: FieldPath): FieldError[] {
  if (!selector) return [required(path)];
  const errors = validateLabelSelector(selector, path);
  if (isEmptySelector(selector))
    errors.push(invalid(path, shownSelector(selector), `empty selector is invalid for ${kind}`));
  return errors;
}

/** `undefined` when nobody can say what the selector selects. An absent one selects nothing. */
export function tryCompile(selector: MaybeSelector): CompiledLabelSelector | undefined {
  return isBrokenSelector(selector) ? undefined : compileLabelSelector(selector);
}

/** Pods made from the template must be found again. */
export function validateSelected(
  template: PodTemplateSpec | undefined,
  selector: CompiledLabelSelector,
  path: FieldPath,
): FieldError[] {
  const labels = template?.metadata?.labels;
  if (selector.matches(labels)) return [];
  return [invalid(path.child('metadata', 'labels'), shownMap(labels), '`selector` does not match template `labels`')];
}

/** Pods that a controller keeps running must want to run for ever. */
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
