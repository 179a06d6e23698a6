import { validateDns1123Label, validateDns1123Subdomain } from '@pintle/machinery/names';
import { BOOL, STRING, structType, type Type } from '../types/type.ts';
import { CelError, OpaqueValue } from '../values/value.ts';
import { func, type Library, member } from './declare.ts';

/** Access that an expression checks: of a path, or a verb on a resource. */
export interface AccessAttributes {
  readonly verb: string;
  readonly path?: string;
  readonly group?: string;
  readonly resource?: string;
  readonly subresource?: string;
  readonly namespace?: string;
  readonly name?: string;
  /** Selectors as written; the authorizer parses them. */
  readonly fieldSelector?: string;
  readonly labelSelector?: string;
  /** Service account to check instead of the requesting user. */
  readonly serviceAccount?: { readonly namespace: string; readonly name: string };
}

export interface AccessDecision {
  readonly isAllowed: boolean;
  readonly reason: string;
  readonly error?: string;
}

/** Checks access synchronously, because expressions cannot wait. */
export type CheckAccess = (question: AccessAttributes) => AccessDecision;

const prefix = 'kubernetes.authorization.';
export const AUTHORIZER: Type = structType(`${prefix}Authorizer`);
export const RESOURCE_CHECK: Type = structType(`${prefix}ResourceCheck`);
const PATH_CHECK = structType(`${prefix}PathCheck`);
const GROUP_CHECK = structType(`${prefix}GroupCheck`);
const DECISION = structType(`${prefix}Decision`);

type PartialQuestion = Omit<AccessAttributes, 'verb'>;

/** An access check that is being built: `authorizer.group('').resource('pods').namespace('default')`. */
class Check extends OpaqueValue {
  readonly type: Type;
  readonly question: PartialQuestion;
  readonly #checkAccess: CheckAccess;

  constructor(type: Type, checkAccess: CheckAccess, question: PartialQuestion) {
    super();
    this.type = type;
    this.question = question;
    this.#checkAccess = checkAccess;
  }

  with(more: PartialQuestion, type: Type = this.type): Check {
    return new Check(type, this.#checkAccess, { ...this.question, ...more });
  }

  check(verb: string): Decision {
    return new Decision(this.#checkAccess({ ...this.question, verb }));
  }

  equals(other: OpaqueValue): boolean {
    return other === this;
  }
}

class Decision extends OpaqueValue {
  readonly type: Type = DECISION;
  readonly answer: AccessDecision;

  constructor(answer: AccessDecision) {
    super();
    this.answer = answer;
  }

  equals(other: OpaqueValue): boolean {
    return other === this;
  }
}

/** Returns the value of the variable `authorizer`. */
export function authorizerValue(checkAccess: CheckAccess): OpaqueValue {
  return new Check(AUTHORIZER, checkAccess, {});
}

/** Returns the value of `authorizer.requestResource`: the request's own resource. */
export function requestResourceValue(checkAccess: CheckAccess, request: PartialQuestion): OpaqueValue {
  return new Check(RESOURCE_CHECK, checkAccess, request);
}

const step = (id: string, from: Type, to: Type, field: keyof PartialQuestion) =>
  member(id, [from, STRING], to, (check: Check, value: string) => check.with({ [field]: value }, to));

/** A builder step whose argument must not be empty. */
const namedStep = (id: string, from: Type, to: Type, field: 'path' | 'resource') =>
  member(id, [from, STRING], to, (check: Check, value: string) =>
    value.trim() === '' ? new CelError(`${field} must not be empty`) : check.with({ [field]: value }, to),
  );

function serviceAccount(check: Check, namespace: string, name: string): Check | CelError {
  if (validateDns1123Subdomain(name).length > 0) return new CelError('Invalid service account name');
  if (validateDns1123Label(namespace).length > 0) return new CelError('Invalid service account namespace');
  return check.with({ serviceAccount: { namespace, name } });
}

export const authorizationLibrary: Library = {
  name: 'kubernetes.authz',
  functions: [
    func('path', namedStep('authorizer_path', AUTHORIZER, PATH_CHECK, 'path')),
    func('group', step('authorizer_group', AUTHORIZER, GROUP_CHECK, 'group')),
    func(
      'serviceAccount',
      member('authorizer_serviceaccount', [AUTHORIZER, STRING, STRING], AUTHORIZER, serviceAccount),
    ),
    func('resource', namedStep('groupcheck_resource', GROUP_CHECK, RESOURCE_CHECK, 'resource')),
    func('subresource', step('resourcecheck_subresource', RESOURCE_CHECK, RESOURCE_CHECK, 'subresource')),
    func('namespace', step('resourcecheck_namespace', RESOURCE_CHECK, RESOURCE_CHECK, 'namespace')),
    func('name', step('resourcecheck_name', RESOURCE_CHECK, RESOURCE_CHECK, 'name')),
    func('fieldSelector', step('authorizer_fieldselector', RESOURCE_CHECK, RESOURCE_CHECK, 'fieldSelector')),
    func('labelSelector', step('authorizer_labelselector', RESOURCE_CHECK, RESOURCE_CHECK, 'labelSelector')),
    func(
      'check',
      member('pathcheck_check', [PATH_CHECK, STRING], DECISION, (check: Check, verb: string) => check.check(verb)),
      member('resourcecheck_check', [RESOURCE_CHECK, STRING], DECISION, (check: Check, verb: string) =>
        check.check(verb),
      ),
    ),
    func(
      'allowed',
      member('decision_allowed', [DECISION], BOOL, ({ answer }: Decision) => answer.isAllowed),
    ),
    func(
      'reason',
      member('decision_reason', [DECISION], STRING, ({ answer }: Decision) => answer.reason),
    ),
    func(
      'errored',
      member('decision_errored', [DECISION], BOOL, ({ answer }: Decision) => answer.error !== undefined),
    ),
    func(
      'error',
      member('decision_error', [DECISION], STRING, ({ answer }: Decision) => answer.error ?? ''),
    ),
  ],
};
