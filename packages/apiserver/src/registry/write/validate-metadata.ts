import type { ObjectMeta } from '@pintle/machinery';
import type { FieldError } from '@pintle/machinery/errors';
import { addErrors } from '@pintle/machinery/errors';
import type { ObjectMetaRules } from '@pintle/machinery/names';
import {
  dns1123SubdomainName,
  pathSegmentName,
  validateObjectMeta,
  validateObjectMetaUpdate,
} from '@pintle/machinery/names';
import type { Finding, MetadataCheck } from '@pintle/machinery/rules';
import type { ServedResource } from '../../resource/served-resource.ts';

/**
 * Returns the errors of a new object: those of the kind's rules, and the server's checks of the name only when there
 * are none.
 */
export function checkNew(
  metadata: ObjectMeta,
  resource: ServedResource,
  kindErrors: readonly FieldError[],
): FieldError[] {
  const looks = resource.rules.metadataChecks?.length !== 0;
  const errors = looks ? validateObjectMeta(metadata, kindRules(resource)) : [];
  addErrors(errors, kindErrors);
  return errors.length > 0 ? errors : validateObjectMeta(metadata, serverRules(resource, looks));
}

/** Returns the errors of a changed object: those of the server and of the kind. */
export function checkChanged(
  next: ObjectMeta,
  previous: ObjectMeta,
  resource: ServedResource,
  kind: { readonly metadataChecks?: readonly MetadataCheck[] | undefined; readonly findings: readonly Finding[] },
): FieldError[] {
  const errors = validateObjectMeta(next, serverRules(resource));
  const isContentValid = errors.length === 0;
  const rules = { ...kindRules(resource), isContentValid };
  const looksLater = kind.findings.some((finding) => typeof finding === 'string');
  const looksFirst = looksLater ? [] : (kind.metadataChecks ?? ['update']);
  return [
    ...errors,
    ...validateObjectMetaUpdate(next, previous, { isContentValid }),
    ...[...looksFirst, ...kind.findings].flatMap((finding) => {
      if (finding === 'create') return validateObjectMeta(next, rules);
      return finding === 'update' ? validateObjectMetaUpdate(next, previous, rules) : [finding];
    }),
  ];
}

function kindRules({ type, rules, isCustom }: ServedResource): ObjectMetaRules {
  return {
    scope: type.scope,
    nameRule: rules.validateName ?? dns1123SubdomainName,
    standardFinalizers: !isCustom && !rules.takesAnyFinalizer,
  };
}

function serverRules({ type }: ServedResource, isContentValid = false): ObjectMetaRules {
  return { scope: type.scope, nameRule: pathSegmentName, isContentValid };
}
