import type { Turns } from '@pintle/async';
import type { AccessAttributes, AccessDecision, CheckAccess } from '@pintle/cel';
import type { Steps } from '@pintle/machinery/rules';
import type { Authorizer, Decision } from '../../auth/authorizer.ts';
import { toRequest } from '../../auth/permission.ts';
import { serviceAccountGroups, serviceAccountUsername } from '../../auth/service-account-name.ts';
import type { RequestInfo } from '../../request/request-info.ts';
import type { UserInfo } from '../../request/user-info.ts';
import type { RequestContext } from '../../resource/endpoint.ts';
import { runInTurns } from '../../resource/yield-policy.ts';

/**
 * Authorizer checks made by CEL expressions. Expressions are synchronous, an authorizer may not be: when a decision is
 * a promise, the expression is abandoned and evaluated again once the decision is there.
 */
export class AuthorizerChecks {
  readonly #authorizer: Authorizer;
  readonly #user: UserInfo;
  readonly #turns: Turns;
  readonly #answers = new Map<string, AccessDecision>();

  constructor({
    authorizer,
    user,
    clock,
    yielding,
  }: Pick<RequestContext, 'authorizer' | 'user' | 'clock' | 'yielding'>) {
    this.#authorizer = authorizer;
    this.#user = user;
    this.#turns = yielding.sharedTurns(clock);
  }

  readonly ask: CheckAccess = (question) => {
    const key = JSON.stringify(Object.entries(question).sort());
    const known = this.#answers.get(key);
    if (known !== undefined) return known;
    const decision = this.#authorizer.authorize(userOf(question) ?? this.#user, requestOf(question));
    if (decision instanceof Promise) throw new PendingDecision(key, decision);
    return this.#note(key, decision);
  };

  /**
   * Evaluates until every check has a decision, and returns the value. Yields to other requests where `expression` pauses
   * after long work.
   */
  async evaluate<T>(expression: () => Steps<T>): Promise<T> {
    for (;;) {
      try {
        return await runInTurns(expression(), this.#turns);
      } catch (error) {
        if (!(error instanceof PendingDecision)) throw error;
        this.#note(error.key, await error.decision);
      }
    }
  }

  #note(key: string, { allowed, reason }: Decision): AccessDecision {
    const answer = { isAllowed: allowed, reason };
    this.#answers.set(key, answer);
    return answer;
  }
}

/** Aborts an expression and carries the decision that it waits for. */
class PendingDecision extends Error {
  override readonly name = 'PendingDecision';
  readonly key: string;
  readonly decision: Promise<Decision>;

  constructor(key: string, decision: Promise<Decision>) {
    super(`Cannot evaluate expression: the decision for ${key} is pending`);
    this.key = key;
    this.decision = decision;
  }
}

function userOf({ serviceAccount }: AccessAttributes): UserInfo | undefined {
  if (serviceAccount === undefined) return undefined;
  const groups = [...serviceAccountGroups(serviceAccount.namespace), 'system:authenticated'];
  return { username: serviceAccountUsername(serviceAccount), groups };
}

function requestOf({ verb, path, group = '', resource = '', ...target }: AccessAttributes): RequestInfo {
  if (path !== undefined) return { kind: 'path', verb, path };
  const { subresource, namespace, name } = target;
  return toRequest({
    verb,
    group,
    resource,
    version: '*',
    ...(subresource !== undefined && { subresource }),
    ...(namespace !== undefined && { namespace }),
    ...(name !== undefined && { name }),
  });
}
