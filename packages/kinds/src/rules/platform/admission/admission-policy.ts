import { BOOL, JSON_PATCHES, NULL, OBJECT, STRING } from '@pintle/cel';
import { duplicate, FieldPath, invalid, required } from '@pintle/machinery/errors';
import {
  byteLength,
  validateConditions,
  validateDns1035Label,
  validateDns1123Subdomain,
  validateQualifiedName,
} from '@pintle/machinery/names';
import type { ResourceRules } from '@pintle/machinery/rules';
import type {
  AuditAnnotation,
  MatchCondition,
  MatchResources,
  MutatingAdmissionPolicy,
  Mutation,
  ParamKind,
  ValidatingAdmissionPolicy,
  ValidatingAdmissionPolicySpec,
  ValidatingAdmissionPolicyStatus,
  Validation,
  Variable,
} from '../../../generated/admissionregistration/v1.ts';
import {
  type Check,
  checkChoice,
  checkOptionalChoice,
  checkSetChoice,
  collect,
  problems,
} from '../../common/checks.ts';
import { ensure, keepAllButStatusAndMetadata, keepStatus } from '../../common/object-fields.ts';
import { age, ageColumn, column, nameColumn, nameOf } from '../../common/printers.ts';
import { checkMatch, checkMatchConditions, checkMutable, defaultMatch, policyRules } from './admission-rules.ts';
import { PolicyExpressions } from './expressions.ts';

const path = FieldPath.of('spec');

export const validatingAdmissionPolicyRules: ResourceRules<ValidatingAdmissionPolicy> = {
  ...policyRules,
  default: (policy) => defaultPolicy(ensure(policy, 'spec')),
  prepareForCreate: (policy) => {
    policy.status = {};
  },
  prepareForUpdate: keepStatus,
  validate: (policy) => collect(checkValidatingPolicy(policy)),
  validateUpdate: (next) => collect(checkValidatingPolicy(next)),
  subresources: {
    status: {
      metadataChecks: [],
      prepareForUpdate: keepAllButStatusAndMetadata,
      validateUpdate: ({ status }) => collect(checkStatus(status ?? {})),
    },
  },
  printer: {
    columns: [nameColumn, column('Validations', 'integer'), column('ParamKind'), ageColumn],
    row: (policy, context) => [
      nameOf(policy),
      (policy.spec?.validations ?? []).length,
      formatParamKind(policy.spec?.paramKind),
      age(policy, context),
    ],
  },
};

export const mutatingAdmissionPolicyRules: ResourceRules<MutatingAdmissionPolicy> = {
  ...policyRules,
  default: (policy) => defaultPolicy(ensure(policy, 'spec')),
  validate: (policy) => collect(checkMutatingPolicy(policy)),
  validateUpdate: (next) => collect(checkMutatingPolicy(next)),
  printer: {
    columns: [nameColumn, column('Mutations', 'integer'), column('ParamKind'), ageColumn],
    row: (policy, context) => [
      nameOf(policy),
      (policy.spec?.mutations ?? []).length,
      formatParamKind(policy.spec?.paramKind),
      age(policy, context),
    ],
  },
};

function defaultPolicy(spec: { failurePolicy?: string; matchConstraints?: MatchResources }): void {
  spec.failurePolicy ??= 'Fail';
  defaultMatch(spec.matchConstraints);
}

function formatParamKind(paramKind: ParamKind | undefined): string {
  return paramKind === undefined ? '<unset>' : `${paramKind.apiVersion ?? ''}/${paramKind.kind ?? ''}`;
}

function* checkStatus({ typeChecking, conditions }: ValidatingAdmissionPolicyStatus): Check {
  const at = FieldPath.of('status');
  for (const [index, { warning, fieldRef }] of (typeChecking?.expressionWarnings ?? []).entries()) {
    const item = at.child('typeChecking', 'expressionWarnings').index(index);
    if (!warning) yield required(item.child('warning'));
    if (!fieldRef.trim()) yield required(item.child('fieldRef'));
  }
  yield* validateConditions(conditions, at.child('conditions'));
}

interface CommonSpec {
  failurePolicy?: string;
  paramKind?: ParamKind;
  matchConstraints?: MatchResources;
  variables?: Variable[];
  matchConditions?: MatchCondition[];
}

function* checkCommon(
  spec: CommonSpec,
  expressions: PolicyExpressions,
  { mutates }: { readonly mutates: boolean },
): Check {
  yield* checkSetChoice(path.child('failurePolicy'), spec.failurePolicy, ['Fail', 'Ignore']);
  if (spec.paramKind !== undefined) yield* checkParamKind(spec.paramKind, path.child('paramKind'));
  if (spec.matchConstraints === undefined) {
    yield required(path.child('matchConstraints'));
  } else {
    yield* checkMatch(spec.matchConstraints, path.child('matchConstraints'));
    if (!spec.matchConstraints.resourceRules?.length) yield required(path.child('matchConstraints', 'resourceRules'));
    if (mutates) yield* checkMutable(spec.matchConstraints, path.child('matchConstraints'));
  }
  const offered = { hasParams: spec.paramKind !== undefined };
  yield* checkMatchConditions(spec.matchConditions ?? [], path.child('matchConditions'), offered);
  for (const [index, variable] of (spec.variables ?? []).entries())
    yield* checkVariable(variable, path.child('variables').index(index), expressions);
}

function* checkValidatingPolicy({ metadata, spec = {} }: ValidatingAdmissionPolicy): Check {
  const expressions = new PolicyExpressions(spec);
  yield* checkCommon(spec, expressions, { mutates: false });
  yield* checkChecks(spec, metadata.name ?? '', expressions);
}

/** A policy must have a validation or an audit annotation. */
function* checkChecks(
  { validations = [], auditAnnotations = [] }: ValidatingAdmissionPolicySpec,
  name: string,
  expressions: PolicyExpressions,
): Check {
  if (validations.length === 0 && auditAnnotations.length === 0) {
    const detail = 'validations or auditAnnotations must contain at least one item';
    yield required(path.child('validations'), detail);
    yield required(path.child('auditAnnotations'), detail);
    return;
  }
  for (const [index, validation] of validations.entries())
    yield* checkValidation(validation, path.child('validations').index(index), expressions);
  const keys = new Set<string>();
  if (auditAnnotations.length > maxAnnotations)
    yield invalid(
      path.child('auditAnnotations'),
      auditAnnotations.map(({ key, valueExpression }) => ({ Key: key, ValueExpression: valueExpression })),
      `must not have more than ${maxAnnotations} auditAnnotations`,
    );
  for (const [index, annotation] of auditAnnotations.entries()) {
    const at = path.child('auditAnnotations').index(index);
    yield* checkAnnotation(annotation, name, at, expressions);
    if (keys.has(annotation.key)) yield duplicate(at.child('key'), annotation.key);
    keys.add(annotation.key);
  }
}

const maxAnnotations = 20;
const maxAnnotationBytes = 5 * 1024;
const reasons = ['Forbidden', 'Invalid', 'RequestEntityTooLarge'];

function* checkValidation(
  { expression, message = '', messageExpression = '', reason }: Validation,
  at: FieldPath,
  expressions: PolicyExpressions,
): Check {
  if (expression.trim() === '') yield required(at.child('expression'), 'expression is not specified');
  else yield* expressions.check(expression, at.child('expression'), [BOOL], { hasAuthorizer: true });
  const messagePath = at.child('messageExpression');
  if (messageExpression !== '' && messageExpression.trim() === '')
    yield invalid(messagePath, messageExpression, 'must be non-empty if specified');
  else if (messageExpression !== '') yield* expressions.check(messageExpression, messagePath, [STRING], {});
  if (message !== '' && message.trim() === '')
    yield invalid(at.child('message'), message, 'must be non-empty if specified');
  else if (/[\r\n]/.test(message.trim())) yield invalid(at.child('message'), message, 'must not contain line breaks');
  yield* checkOptionalChoice(at.child('reason'), reason, reasons);
}

function* checkAnnotation(
  { key, valueExpression }: AuditAnnotation,
  name: string,
  at: FieldPath,
  expressions: PolicyExpressions,
): Check {
  if (name === '') yield invalid(at.child('key'), key, 'requires metadata.name be non-empty');
  else yield* problems(at.child('key'), `${name}/${key}`, validateQualifiedName(`${name}/${key}`));
  const valuePath = at.child('valueExpression');
  if (valueExpression.trim() === '') yield required(valuePath, 'valueExpression is not specified');
  else if (byteLength(valueExpression.trim()) > maxAnnotationBytes)
    yield required(valuePath, `must not exceed ${maxAnnotationBytes} bytes in length`);
  else yield* expressions.checkTrimmed(valueExpression, valuePath, [STRING, NULL], { hasAuthorizer: true });
}

function* checkMutatingPolicy({ spec = {} }: MutatingAdmissionPolicy): Check {
  const expressions = new PolicyExpressions(spec, true);
  yield* checkCommon(spec, expressions, { mutates: true });
  const mutations = spec.mutations ?? [];
  if (mutations.length === 0) yield required(path.child('mutations'), 'mutations must contain at least one item');
  for (const [index, mutation] of mutations.entries())
    yield* checkMutation(mutation, path.child('mutations').index(index), expressions);
  yield* checkChoice(path.child('reinvocationPolicy'), spec.reinvocationPolicy, ['IfNeeded', 'Never']);
}

const patchFields = { ApplyConfiguration: 'applyConfiguration', JSONPatch: 'jsonPatch' } as const;

function* checkMutation(mutation: Mutation, at: FieldPath, expressions: PolicyExpressions): Check {
  const { patchType } = mutation;
  yield* checkChoice(at.child('patchType'), patchType, Object.keys(patchFields));
  const own = patchFields[patchType];
  if (own === undefined) return;
  const other = own === 'jsonPatch' ? 'applyConfiguration' : 'jsonPatch';
  const patch = mutation[own];
  if (patch === undefined) yield required(at.child(own), `must be specified when patchType is ${patchType}`);
  else yield* checkPatch(patch.expression ?? '', own, at.child(own, 'expression'), expressions);
  if (mutation[other] !== undefined)
    yield invalid(at.child(other), `{${other}}`, `must not be specified when patchType is ${patchType}`);
}

function* checkPatch(
  expression: string,
  field: 'applyConfiguration' | 'jsonPatch',
  at: FieldPath,
  expressions: PolicyExpressions,
): Check {
  const type = field === 'jsonPatch' ? JSON_PATCHES : OBJECT;
  if (expression.trim() === '') yield required(at);
  else yield* expressions.check(expression.trim(), at, [type], { hasAuthorizer: true, canMutate: true });
}

const celReserved = new Set(
  'as break const continue else false for function if import in let loop namespace null package return true var void while'.split(
    ' ',
  ),
);

function* checkVariable(variable: Variable, at: FieldPath, expressions: PolicyExpressions): Check {
  const { name, expression } = variable;
  if (name.trim() === '') yield required(at.child('name'), 'name is not specified');
  else if (!/^[_a-zA-Z][_a-zA-Z0-9]*$/.test(name) || celReserved.has(name))
    yield invalid(at.child('name'), name, 'must be a valid CEL identifier');
  if (expression.trim() === '') yield required(at.child('expression'), 'expression is not specified');
  else yield* expressions.declare(variable, at.child('expression'));
}

function* checkParamKind({ apiVersion = '', kind = '' }: ParamKind, at: FieldPath): Check {
  const versionPath = at.child('apiVersion');
  const parts = apiVersion.split('/');
  const [group, version] = parts.length === 1 ? ['', parts[0]!] : [parts[0]!, parts[1]!];
  if (apiVersion === '') yield required(versionPath);
  else if (parts.length > 2) yield invalid(versionPath, apiVersion, `unexpected GroupVersion string: ${apiVersion}`);
  else {
    const [wrongGroup, wrongVersion] = [
      group === '' ? [] : validateDns1123Subdomain(group),
      validateDns1035Label(version),
    ];
    if (wrongGroup.length > 0) yield invalid(versionPath, group, wrongGroup.join(','));
    if (version === '') yield invalid(versionPath, apiVersion, 'version must be specified');
    else if (wrongVersion.length > 0) yield invalid(versionPath, version, wrongVersion.join(','));
  }
  const wrongKind = validateDns1035Label(kind.toLowerCase());
  if (kind === '') yield required(at.child('kind'));
  else if (wrongKind.length > 0)
    yield invalid(at.child('kind'), kind, `may have mixed case, but should otherwise match: ${wrongKind.join(',')}`);
}
