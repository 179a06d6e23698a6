import { type FieldError, FieldPath, forbidden, invalid, notSupported, required } from '@pintle/machinery/errors';
import type { Pod } from '../../../generated/core/v1.ts';

/** The fields of `core/v1 Binding` that are validated: the node that a scheduler has chosen. */
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

/** Returns why a Pod cannot be bound, as the end of a Conflict's message; `undefined` when it can. */
export function bindingRefusal({ metadata, spec }: Pod): string | undefined {
  if (metadata.deletionTimestamp !== undefined)
    return `pod ${metadata.name} is being deleted, cannot be assigned to a host`;
  if (spec?.nodeName) return `pod ${metadata.name} is already assigned to node "${spec.nodeName}"`;
  if ((spec?.schedulingGates ?? []).length > 0) return `pod ${metadata.name} has non-empty .spec.schedulingGates`;
  return undefined;
}

/** The fields of `core/v1 PodLogOptions` that are validated. */
export interface LogOptions {
  readonly tailLines?: number;
  readonly limitBytes?: number;
  readonly sinceSeconds?: number;
  readonly sinceTime?: string;
  readonly stream?: string;
}

export function validateLogOptions(options: LogOptions): FieldError[] {
  const { tailLines, limitBytes, sinceSeconds, sinceTime, stream } = options;
  const errors: FieldError[] = [];
  if (tailLines !== undefined && tailLines < 0)
    errors.push(invalid(FieldPath.of('tailLines'), tailLines, 'must be greater than or equal to 0'));
  if (limitBytes !== undefined && limitBytes < 1)
    errors.push(invalid(FieldPath.of('limitBytes'), limitBytes, 'must be greater than 0'));
  if (sinceSeconds !== undefined && sinceTime !== undefined)
    errors.push(forbidden('[]', 'at most one of `sinceTime` or `sinceSeconds` may be specified'));
  else if (sinceSeconds !== undefined && sinceSeconds < 1)
    errors.push(invalid(FieldPath.of('sinceSeconds'), sinceSeconds, 'must be greater than 0'));
  if (stream !== undefined) errors.push(forbidden('stream', 'may not be specified'));
  return errors;
}
