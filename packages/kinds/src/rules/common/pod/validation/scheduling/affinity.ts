import { type FieldError, type FieldPath, forbidden, invalid, required } from '@pintle/machinery/errors';
import {
  dns1123LabelName,
  validateDns1123Subdomain,
  validateLabelKey,
  validateLabelValue,
} from '@pintle/machinery/names';
import { validateLabelSelector } from '@pintle/machinery/selectors';
import type {
  Affinity,
  NodeAffinity,
  NodeSelector,
  NodeSelectorRequirement,
  NodeSelectorTerm,
  PodAffinity,
  PodAffinityTerm,
} from '../../../../../generated/core/v1.ts';
import { eachItem, isEmpty, problems } from '../../../checks.ts';
import { validateMatchLabelKeys } from './match-label-keys.ts';

const requiredTerms = 'requiredDuringSchedulingIgnoredDuringExecution';
const preferredTerms = 'preferredDuringSchedulingIgnoredDuringExecution';

export function validateAffinity(affinity: Affinity | undefined, path: FieldPath): FieldError[] {
  if (affinity === undefined) return [];
  return [
    ...validateNodeAffinity(affinity.nodeAffinity, path.child('nodeAffinity')),
    ...validatePodAffinity(affinity.podAffinity, path.child('podAffinity')),
    ...validatePodAffinity(affinity.podAntiAffinity, path.child('podAntiAffinity')),
  ];
}

function validateNodeAffinity(affinity: NodeAffinity | undefined, path: FieldPath): FieldError[] {
  if (affinity === undefined) return [];
  return [
    ...validateNodeSelector(affinity[requiredTerms], path.child(requiredTerms)),
    ...eachItem(affinity[preferredTerms], path.child(preferredTerms), (term, at) => [
      ...validateWeight(term.weight, at.child('weight')),
      ...validateNodeSelectorTerm(term.preference, at.child('preference'), { checksValues: false }),
    ]),
  ];
}

function validateNodeSelector(selector: NodeSelector | undefined, path: FieldPath): FieldError[] {
  if (selector === undefined) return [];
  const terms = path.child('nodeSelectorTerms');
  if ((selector.nodeSelectorTerms ?? []).length === 0)
    return [required(terms, 'must have at least one node selector term')];
  return eachItem(selector.nodeSelectorTerms, terms, (term, at) =>
    validateNodeSelectorTerm(term, at, { checksValues: true }),
  );
}

function validateNodeSelectorTerm(
  term: NodeSelectorTerm | undefined,
  path: FieldPath,
  { checksValues }: { readonly checksValues: boolean },
): FieldError[] {
  return [
    ...eachItem(term?.matchExpressions, path.child('matchExpressions'), (requirement, at) => [
      ...validateNodeRequirement(requirement, at),
      ...(checksValues ? validateValues(requirement, at.child('values')) : []),
    ]),
    ...eachItem(term?.matchFields, path.child('matchFields'), validateFieldRequirement),
  ];
}

function validateNodeRequirement(requirement: NodeSelectorRequirement, path: FieldPath): FieldError[] {
  return [...validateOperator(requirement, path), ...validateLabelKey(requirement.key ?? '', path.child('key'))];
}

function validateOperator({ operator, values = [] }: NodeSelectorRequirement, path: FieldPath): FieldError[] {
  switch (operator as string) {
    case 'In':
    case 'NotIn':
      return values.length > 0
        ? []
        : [required(path.child('values'), "must be specified when `operator` is 'In' or 'NotIn'")];
    case 'Exists':
    case 'DoesNotExist':
      return values.length === 0
        ? []
        : [forbidden(path.child('values'), "may not be specified when `operator` is 'Exists' or 'DoesNotExist'")];
    case 'Gt':
    case 'Lt':
      return values.length === 1
        ? []
        : [required(path.child('values'), "must be specified single value when `operator` is 'Lt' or 'Gt'")];
    default:
      return [invalid(path.child('operator'), operator ?? '', 'not a valid selector operator')];
  }
}

function validateValues({ values }: NodeSelectorRequirement, path: FieldPath): FieldError[] {
  return eachItem(values, path, (value, at) => problems(at, value, validateLabelValue(value)));
}

/** The only selectable field of a node is its name. */
function validateFieldRequirement(
  { key, operator, values = [] }: NodeSelectorRequirement,
  path: FieldPath,
): FieldError[] {
  const errors: FieldError[] = [];
  if (operator !== 'In' && operator !== 'NotIn')
    errors.push(invalid(path.child('operator'), operator ?? '', 'not a valid selector operator'));
  else if (values.length !== 1)
    errors.push(
      required(
        path.child('values'),
        "must be only one value when `operator` is 'In' or 'NotIn' for node field selector",
      ),
    );
  if (key !== 'metadata.name')
    return [...errors, invalid(path.child('key'), key ?? '', 'not a valid field selector key')];
  return [
    ...errors,
    ...eachItem(values, path.child('values'), (value, at) => problems(at, value, validateDns1123Subdomain(value))),
  ];
}

function validatePodAffinity(affinity: PodAffinity | undefined, path: FieldPath): FieldError[] {
  if (affinity === undefined) return [];
  return [
    ...eachItem(affinity[requiredTerms], path.child(requiredTerms), validatePodAffinityTerm),
    ...eachItem(affinity[preferredTerms], path.child(preferredTerms), (term, at) => [
      ...validateWeight(term.weight, at.child('weight')),
      ...validatePodAffinityTerm(term.podAffinityTerm, at.child('podAffinityTerm')),
    ]),
  ];
}

function validatePodAffinityTerm(term: PodAffinityTerm, path: FieldPath): FieldError[] {
  return [
    ...validateLabelSelector(term.labelSelector, path.child('labelSelector')),
    ...validateLabelSelector(term.namespaceSelector, path.child('namespaceSelector')),
    ...(term.namespaces ?? []).flatMap((name) =>
      problems(path.child('namespace'), name, dns1123LabelName(name, false)),
    ),
    ...validateMatchLabelKeys(term, path),
    ...(isEmpty(term.topologyKey) ? [required(path.child('topologyKey'), 'can not be empty')] : []),
    ...validateLabelKey(term.topologyKey ?? '', path.child('topologyKey')),
  ];
}

function validateWeight(weight: number | undefined, path: FieldPath): FieldError[] {
  const given = weight ?? 0;
  return given >= 1 && given <= 100 ? [] : [invalid(path, given, 'must be in the range 1-100')];
}
