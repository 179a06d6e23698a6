import { type FieldError, FieldPath, notSupported, required } from '@pintle/machinery/errors';
import type { Pod } from '../../../generated/core/v1.ts';

/** The node that a scheduler has chosen; of `core/v1 Binding` what the rules look at. */
export interface BindingTarget {
  readonly target?: { readonly kind?: string; readonly name?: string };
}

export function validateBinding({ target }: BindingTarget): FieldError[] {
  const { kind = '', name = '' } = target ?? {};
  const errors: FieldError[] = [];
  if (kind !== '' && kind !== 'Node')
    errors.push(notSupported(FieldPath.of('target', 'kind'), kind, ['Node', '<empty>']));
  if (name === '') errors.push(required(FieldPath.of('target', 'name')));
  return errors;
}

/** Why a Pod cannot be bound now, as the end of a Conflict's message; `undefined` when it can. */
export function bindingRefusal({ metadata, spec }: Pod): string | undefined {
  if (metadata.deletionTimestamp !== undefined)
    return `pod ${metadata.name} is being deleted, cannot be assigned to a host`;
  if (spec?.nodeName) return `pod ${metadata.name} is already assigned to node "${spec.nodeName}"`;
  if ((spec?.schedulingGates ?? []).length > 0) return `pod ${metadata.name} has non-empty .spec.schedulingGates`;
  return undefined;
}
