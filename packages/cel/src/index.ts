export { CelObject, JSON_PATCHES, OBJECT } from './admission/mutation-types.ts';
export type { DeclaredKind, PolicyEnvironmentOptions } from './admission/policy-environment.ts';
export { policyEnvironment } from './admission/policy-environment.ts';
export { PolicyVariables } from './admission/policy-variables.ts';
export { type JsonBudget, valueToJson } from './admission/value-to-json.ts';
export type { EnvironmentOptions, StructDeclaration } from './check/environment.ts';
export { Environment } from './check/environment.ts';
export type { MaxSizeAt } from './cost/estimate.ts';
export type { Range } from './cost/range.ts';
export type { AccessAttributes, AccessDecision, CheckAccess } from './functions/authorization.ts';
export { authorizerValue, requestResourceValue } from './functions/authorization.ts';
export type { FunctionDeclaration, Library, Overload } from './functions/declare.ts';
export { kubernetesLibraries } from './functions/libraries.ts';
export type { Compilation, Evaluation } from './program.ts';
export { compileExpression, Program, perCallLimit } from './program.ts';
export type { RuleEvaluator, RuleResult } from './schema/rule-evaluator.ts';
export { ruleEvaluatorOf } from './schema/rule-evaluator.ts';
export type { RuleTrial, RuleTrialOptions } from './schema/rule-trial.ts';
export { tryRule } from './schema/rule-trial.ts';
export { validateRules } from './schema/validate-rules.ts';
export type { Call, Expr, LiteralValue } from './syntax/ast.ts';
export type { Parsed, ParseOptions } from './syntax/parser.ts';
export { parse } from './syntax/parser.ts';
export type { Type } from './types/type.ts';
export {
  BOOL,
  DYN,
  formatType,
  INT,
  isSameType,
  listType,
  mapType,
  NULL,
  optionalType,
  STRING,
  structType,
} from './types/type.ts';
export { dynamicValue } from './values/dynamic-value.ts';
export { ListValue } from './values/list.ts';
export type { Value } from './values/value.ts';
export { CelError, OpaqueValue, OptionalValue } from './values/value.ts';
