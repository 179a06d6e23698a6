import type { DeclaredKind, Environment, Type } from '@pintle/cel';
import { compileExpression, DYN, policyEnvironment } from '@pintle/cel';
import type { ExpressionWarning, ValidatingAdmissionPolicySpec } from '@pintle/kinds/admissionregistration/v1';
import type { CustomResourceDefinition } from '@pintle/kinds/apiextensions/v1';
import { parseGroupVersion } from '@pintle/machinery';
import type { KnownKind } from './kinds-to-check.ts';
import { kindsToCheck, knownKind } from './kinds-to-check.ts';

interface Checked {
  readonly kind: KnownKind;
  readonly environment: Environment;
}

/**
 * Compiles the expressions of a policy for each kind that it matches, and returns the type errors. Type names contain
 * the time of creation in nanoseconds, as in Kubernetes.
 */
export function checkTypes(
  spec: ValidatingAdmissionPolicySpec,
  definitions: readonly CustomResourceDefinition[],
  nowMs = 0,
): ExpressionWarning[] {
  const declared = ({ kind, schema }: KnownKind) => ({ typeName: `${kind}${(nowMs % 1_000) * 1_000_000}`, schema });
  const params = paramsKind(spec, definitions);
  const kinds = kindsToCheck(spec.matchConstraints ?? {}, definitions);
  const checked = kinds.map((kind) => ({
    kind,
    environment: environmentFor(spec, declared(kind), params && declared(params)),
  }));
  return (spec.validations ?? []).flatMap(({ expression, messageExpression }, index) => {
    const at = `spec.validations[${index}]`;
    return [
      ...typeWarnings(`${at}.expression`, expression, checked),
      ...(messageExpression ? typeWarnings(`${at}.messageExpression`, messageExpression, checked) : []),
    ];
  });
}

function paramsKind(
  { paramKind }: ValidatingAdmissionPolicySpec,
  definitions: readonly CustomResourceDefinition[],
): KnownKind | undefined {
  const { apiVersion = '', kind = '' } = paramKind ?? {};
  const parsed = parseGroupVersion(apiVersion);
  return parsed && knownKind({ group: parsed.group, version: parsed.version, kind }, definitions);
}

/** Declares variables. One that does not compile has a dynamic type, and its own errors are not reported. */
function environmentFor(
  { paramKind, variables = [] }: ValidatingAdmissionPolicySpec,
  objectKind: DeclaredKind,
  paramsKind: DeclaredKind | undefined,
): Environment {
  const types = new Map<string, Type>();
  const make = (): Environment =>
    policyEnvironment({
      hasParams: paramKind !== undefined,
      hasAuthorizer: true,
      hasNamespace: true,
      variables: types,
      objectKind,
      ...(paramsKind && { paramsKind }),
    });
  for (const { name, expression } of variables) {
    const compiled = compileExpression(expression, make());
    types.set(name, 'program' in compiled ? compiled.program.type : DYN);
  }
  return make();
}

function typeWarnings(fieldRef: string, expression: string, checked: readonly Checked[]): ExpressionWarning[] {
  const warnings = checked.flatMap(({ kind, environment }) => {
    const compiled = compileExpression(expression, environment);
    if (!('stage' in compiled) || compiled.stage !== 'compile') return [];
    return `${kind.group}/${kind.version}, Kind=${kind.kind}: ${compiled.error}\n`;
  });
  return warnings.length === 0 ? [] : [{ fieldRef, warning: warnings.join('\n') }];
}
