import { duplicate, type FieldError, FieldPath, forbidden, invalid, required } from '@pintle/machinery/errors';
import { validateDns1123Label, validateDns1123Subdomain } from '@pintle/machinery/names';
import type { PodResourceClaim } from '../../../../generated/core/v1.ts';
import { eachItem, isEmpty, problems } from '../../checks.ts';
import type { PodSpecContext } from './context.ts';
import { mirrorAnnotation } from './security/annotations.ts';

export function claimNamesOf(claims: readonly PodResourceClaim[] | undefined): ReadonlySet<string> {
  return new Set((claims ?? []).map(({ name }) => name).filter((name) => !isEmpty(name)));
}

export function validateResourceClaims(
  claims: readonly PodResourceClaim[] | undefined,
  { metadata }: PodSpecContext,
  path: FieldPath,
): FieldError[] {
  const isStatic = metadata?.annotations?.[mirrorAnnotation] !== undefined;
  const names = new Set<string>();
  return eachItem(claims, path, (claim, at) =>
    isStatic
      ? [forbidden(FieldPath.of(''), 'static pods do not support resource claims')]
      : validateClaim(claim, names, at),
  );
}

function validateClaim(claim: PodResourceClaim, names: Set<string>, path: FieldPath): FieldError[] {
  const { resourceClaimName: claimName, resourceClaimTemplateName: templateName } = claim;
  return [
    ...validateName(claim.name, names, path.child('name')),
    ...validateOneReference(claim, path),
    ...(claimName === undefined
      ? []
      : problems(path.child('resourceClaimName'), claimName, validateDns1123Subdomain(claimName))),
    ...(templateName === undefined
      ? []
      : problems(path.child('resourceClaimTemplateName'), templateName, validateDns1123Subdomain(templateName))),
  ];
}

function validateName(name: string, names: Set<string>, path: FieldPath): FieldError[] {
  if (isEmpty(name)) return [required(path)];
  if (names.has(name)) return [duplicate(path, name)];
  names.add(name);
  return problems(path, name, validateDns1123Label(name));
}

function validateOneReference(claim: PodResourceClaim, path: FieldPath): FieldError[] {
  const { name, resourceClaimName = null, resourceClaimTemplateName = null } = claim;
  const shown = {
    Name: name ?? '',
    ResourceClaimName: resourceClaimName,
    ResourceClaimTemplateName: resourceClaimTemplateName,
  };
  if (resourceClaimName !== null && resourceClaimTemplateName !== null)
    return [invalid(path, shown, 'at most one of `resourceClaimName` or `resourceClaimTemplateName` may be specified')];
  if (resourceClaimName !== null || resourceClaimTemplateName !== null) return [];
  return [invalid(path, shown, 'must specify one of: `resourceClaimName`, `resourceClaimTemplateName`')];
}
