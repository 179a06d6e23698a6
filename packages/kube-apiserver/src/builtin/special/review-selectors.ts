import { nodeIn } from '@pintle/apiserver/request';
import type { ResourceAttributes } from '@pintle/kinds/authorization/v1';
import type { FieldError } from '@pintle/machinery/errors';
import { addErrors, FieldPath, forbidden, invalid, MAX_FIELD_ERRORS, required } from '@pintle/machinery/errors';
import {
  compileLabelSelector,
  parseFieldSelector,
  parseLabelSelector,
  validateLabelSelectorRequirement,
} from '@pintle/machinery/selectors';

type FieldSelector = NonNullable<ResourceAttributes['fieldSelector']>;
type LabelSelector = NonNullable<ResourceAttributes['labelSelector']>;
type FieldRequirement = NonNullable<FieldSelector['requirements']>[number];
type LabelRequirement = NonNullable<LabelSelector['requirements']>[number];

const HOME = FieldPath.of('spec').child('resourceAttributes');

/**
 * Returns the errors of the selectors in a review. Unknown operators pass: the client may be newer than this server,
 * and ignoring a requirement asks for more rights, never for fewer.
 */
export function checkSelectors({ fieldSelector, labelSelector }: ResourceAttributes): FieldError[] {
  return [
    ...checkSelector(fieldSelector, HOME.child('fieldSelector'), checkFieldRequirement),
    ...checkSelector(labelSelector, HOME.child('labelSelector'), checkLabelRequirement),
  ];
}

/** Returns the selectors that could not be used; '' when all were. */
export function selectorProblems({ fieldSelector, labelSelector }: ResourceAttributes): string {
  return [
    problemOf('fieldSelector', fieldSelector, parseFieldSelector, isFieldRequirementUsed),
    problemOf('labelSelector', labelSelector, parseLabelSelector, isLabelRequirementUsed),
  ]
    .filter((problem) => problem !== undefined)
    .join('; ');
}

/** Returns the only node that a field selector allows. */
export function selectedNodeOf({ fieldSelector }: ResourceAttributes): string | undefined {
  const { rawSelector = '', requirements = [] } = fieldSelector ?? {};
  const isNode = ({ key, operator, values }: FieldRequirement): boolean =>
    key === 'spec.nodeName' && operator === 'In' && values?.length === 1;
  return requirements.find(isNode)?.values?.[0] ?? nodeIn(rawSelector);
}

interface Selector<R> {
  readonly rawSelector?: string;
  readonly requirements?: readonly R[];
}

function checkSelector<R>(
  selector: Selector<R> | undefined,
  path: FieldPath,
  check: (requirement: R, path: FieldPath) => FieldError[],
): FieldError[] {
  if (selector === undefined) return [];
  const { rawSelector = '', requirements = [] } = selector;
  const errors: FieldError[] = [];
  if (rawSelector !== '' && requirements.length > 0) {
    errors.push(invalid(path.child('rawSelector'), rawSelector, 'may not specified at the same time as requirements'));
  }
  if (rawSelector === '' && requirements.length === 0) {
    const detail = `when ${path} is specified, requirements or rawSelector is required`;
    errors.push(required(path.child('requirements'), detail));
  }
  const at = path.child('requirements');
  for (const [index, requirement] of requirements.entries()) {
    if (errors.length >= MAX_FIELD_ERRORS) break;
    addErrors(errors, check(requirement, at.index(index)));
  }
  return errors;
}

function checkLabelRequirement(requirement: LabelRequirement, path: FieldPath): FieldError[] {
  return validateLabelSelectorRequirement(requirement, path, { allowUnknownOperators: true });
}

function checkFieldRequirement({ key, operator, values = [] }: FieldRequirement, path: FieldPath): FieldError[] {
  const errors = key ? [] : [required(path.child('key'), 'must be specified')];
  if ((operator === 'In' || operator === 'NotIn') && values.length === 0) {
    errors.push(required(path.child('values'), "must be specified when `operator` is 'In' or 'NotIn'"));
  }
  if ((operator === 'Exists' || operator === 'DoesNotExist') && values.length > 0) {
    const detail = "may not be specified when `operator` is 'Exists' or 'DoesNotExist'";
    errors.push(forbidden(path.child('values'), detail));
  }
  return errors;
}

function problemOf<R>(
  field: string,
  selector: Selector<R> | undefined,
  parse: (text: string) => unknown,
  isUsed: (requirement: R) => boolean,
): string | undefined {
  const { rawSelector = '', requirements = [] } = selector ?? {};
  const used = requirements.filter(isUsed).length;
  const isWhole = used === requirements.length && (rawSelector === '' || succeeds(() => parse(rawSelector)));
  if (isWhole) return undefined;
  return `${HOME}.${field} ${used > 0 ? 'partially ' : ''}ignored due to parse error`;
}

function isLabelRequirementUsed(requirement: LabelRequirement): boolean {
  return succeeds(() => compileLabelSelector({ matchExpressions: [requirement] }));
}

/** True when the requirement compares with one value. */
function isFieldRequirementUsed({ operator, values = [] }: FieldRequirement): boolean {
  return (operator === 'In' || operator === 'NotIn') && values.length === 1;
}

function succeeds(action: () => unknown): boolean {
  try {
    action();
    return true;
  } catch {
    return false;
  }
}
