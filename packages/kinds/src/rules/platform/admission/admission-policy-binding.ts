import { duplicate, FieldPath, forbidden, invalid, notSupported, required } from '@pintle/machinery/errors';
import { pathSegmentName, validateDns1123Subdomain } from '@pintle/machinery/names';
import type { ResourceRules } from '@pintle/machinery/rules';
import { validateLabelSelector } from '@pintle/machinery/selectors';
import type {
  MatchResources,
  MutatingAdmissionPolicyBinding,
  ParamRef,
  ValidatingAdmissionPolicyBinding,
} from '../../../generated/admissionregistration/v1.ts';
import type { LabelSelector } from '../../../generated/meta/v1.ts';
import { type Check, collect, problems, sortedEntries } from '../../common/checks.ts';
import { repeats } from '../../common/lists.ts';
import { age, ageColumn, column, nameColumn, nameOf } from '../../common/printers.ts';
import { checkMatch, checkMutable, defaultMatch, policyRules } from './admission-rules.ts';

const path = FieldPath.of('spec');
const columns = [nameColumn, column('PolicyName'), column('ParamRef'), ageColumn];

interface CommonSpec {
  policyName?: string;
  paramRef?: ParamRef;
  matchResources?: MatchResources;
}

export const validatingAdmissionPolicyBindingRules: ResourceRules<ValidatingAdmissionPolicyBinding> = {
  ...policyRules,
  default: ({ spec }) => defaultMatch(spec?.matchResources),
  validate: ({ spec }) => collect(checkCommon(spec), checkActions(spec.validationActions ?? [])),
  validateUpdate: ({ spec }) => collect(checkCommon(spec), checkActions(spec.validationActions ?? [])),
  printer: {
    columns,
    row: (binding, context) => [
      nameOf(binding),
      binding.spec.policyName ?? '',
      formatParamRef(binding.spec.paramRef),
      age(binding, context),
    ],
  },
};

export const mutatingAdmissionPolicyBindingRules: ResourceRules<MutatingAdmissionPolicyBinding> = {
  ...policyRules,
  default: ({ spec }) => defaultMatch(spec?.matchResources),
  validate: ({ spec = {} }) => collect(checkMutating(spec)),
  validateUpdate: ({ spec = {} }) => collect(checkMutating(spec)),
  printer: {
    columns,
    row: (binding, context) => [
      nameOf(binding),
      binding.spec?.policyName ?? '',
      formatParamRef(binding.spec?.paramRef),
      age(binding, context),
    ],
  },
};

function* checkMutating(spec: CommonSpec): Check {
  yield* checkCommon(spec);
  yield* checkMutable(spec.matchResources, path.child('matchResources'));
}

function* checkCommon({ policyName = '', paramRef, matchResources }: CommonSpec): Check {
  if (policyName === '') yield required(path.child('policyName'));
  else yield* problems(path.child('policyName'), policyName, validateDns1123Subdomain(policyName));
  if (paramRef !== undefined) yield* checkParamRef(paramRef, path.child('paramRef'));
  yield* checkMatch(matchResources, path.child('matchResources'));
}

function* checkParamRef({ name, selector, parameterNotFoundAction: action }: ParamRef, at: FieldPath): Check {
  const exclusive = 'name and selector are mutually exclusive';
  if (name) {
    yield* problems(at.child('name'), name, pathSegmentName(name, false));
    if (selector !== undefined) yield forbidden(at.child('name'), exclusive);
  }
  yield* validateLabelSelector(selector, at.child('selector'));
  if (name && selector !== undefined) yield forbidden(at.child('selector'), exclusive);
  if (!name && selector === undefined) yield required(at, 'one of name or selector must be specified');
  const actionPath = at.child('parameterNotFoundAction');
  if (!action) yield required(actionPath);
  else if (action !== 'Deny' && action !== 'Allow') yield notSupported(actionPath, action, ['Deny', 'Allow']);
}

const actions = ['Audit', 'Deny', 'Warn'];

function* checkActions(given: readonly string[]): Check {
  const at = path.child('validationActions');
  if (given.length === 0) {
    yield required(at, 'at least one validation action is required');
    return;
  }
  const isRepeated = repeats<string>();
  for (const [index, action] of given.entries()) {
    if (!actions.includes(action)) yield notSupported(at.index(index), action, actions);
    if (isRepeated(action)) yield duplicate(at.index(index), action);
  }
  if (given.includes('Deny') && given.includes('Warn'))
    yield invalid(
      at,
      given,
      'must not contain both Deny and Warn (repeating the same validation failure information in the API response and headers serves no purpose)',
    );
}

function formatParamRef(ref: ParamRef | undefined): string {
  if (ref?.name) return `${ref.namespace || '*'}/${ref.name}`;
  return ref?.selector === undefined ? '<unset>' : formatGoSelector(ref.selector);
}

/** Formats the selector as Go prints the struct. */
function formatGoSelector({ matchLabels = {}, matchExpressions = [] }: LabelSelector): string {
  const labels = sortedEntries(matchLabels).map(([key, value]) => `${key}: ${value},`);
  const expressions = matchExpressions.map(
    ({ key, operator, values = [] }) =>
      `LabelSelectorRequirement{Key:${key},Operator:${operator},Values:[${(values ?? []).join(' ')}],},`,
  );
  return `&LabelSelector{MatchLabels:map[string]string{${labels.join('')}},MatchExpressions:[]LabelSelectorRequirement{${expressions.join('')}},}`;
}
