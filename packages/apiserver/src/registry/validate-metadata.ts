import type { ObjectMeta } from '@pintle/machinery';
import type { FieldError } from '@pintle/machinery/errors';
import type { ObjectMetaRules } from '@pintle/machinery/names';
import {
  dns1123SubdomainName,
  pathSegmentName,
  validateObjectMeta,
  validateObjectMetaUpdate,
} from '@pintle/machinery/names';
import type { ServedResource } from './served-resource.ts';

/** What is wrong with a new object: the kind's rules first; the server's own look at the name only when those pass. */
export function checkNew(
  metadata: ObjectMeta,
  resource: ServedResource,
  kindErrors: readonly FieldError[],
): FieldError[] {
  const errors = [...validateObjectMeta(metadata, kindRules(resource)), ...kindErrors];
  return errors.length > 0 ? errors : validateObjectMeta(metadata, serverRules(resource));
}

/** What is wrong with a changed object: the server and the kind both look, and both are heard. */
export function checkChanged(
  next: ObjectMeta,
  previous: ObjectMeta,
  resource: ServedResource,
  kindErrors: readonly FieldError[],
): FieldError[] {
  return [
    ...validateObjectMeta(next, serverRules(resource)),
    ...validateObjectMetaUpdate(next, previous),
    ...validateObjectMeta(next, kindRules(resource)),
    ...validateObjectMetaUpdate(next, previous),
    ...kindErrors,
  ];
}

function kindRules(resource: ServedResource): ObjectMetaRules {
  return {
    scope: resource.type.scope,
    nameRule: resource.rules.validateName ?? dns1123SubdomainName,
    standardFinalizers: !resource.isCustom,
  };
}

function serverRules(resource: ServedResource): ObjectMetaRules {
  return { scope: resource.type.scope, nameRule: pathSegmentName };
}
