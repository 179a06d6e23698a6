import type { Turns } from '@pintle/async';
import type { AccessAnswer, AccessQuestion, AskAccess } from '@pintle/cel';
import type { Steps } from '@pintle/machinery/rules';
import type { Authorizer, Decision } from '../../auth/authorizer.ts';
import { toRequest } from '../../auth/permission.ts';
import { serviceAccountGroups, serviceAccountUsername } from '../../auth/service-account-name.ts';
import type { RequestInfo } from '../../request/request-info.ts';
import type { UserInfo } from '../../request/user-info.ts';
import type { EndpointCall } from '../../resource/endpoint.ts';
import { runInTurns } from '../../resource/yield-policy.ts';

/**
 * What expressions ask of the authorizer. Expressions do not wait, but an authorizer may: where one has to, the
 * expression is left, and evaluated once more when the answer is there.
 */
export class AccessQuestions {
  readonly #authorizer: Authorizer;
  readonly #user: UserInfo;
  readonly #turns: Turns;
  readonly #answers = new Map<string, AccessAnswer>();

  constructor({ authorizer, user, clock, yielding }: Pick<EndpointCall, 'authorizer' | 'user' | 'clock' | 'yielding'>) {
    this.#authorizer = authorizer;
    this.#user = user;
    this.#turns = yielding.sharedTurns(clock);
  }

  readonly ask: AskAccess = (question) => {
    const key = JSON.stringify(Object.entries(question).sort());
    const known = this.#answers.get(key);
    if (known !== undefined) return known;
    const decision = this.#authorizer.authorize(userOf(question) ?? this.#user, requestOf(question));
    if (decision instanceof Promise) throw new Unanswered(key, decision);
    return this.#note(key, decision);
  };

  /** What `evaluate` gives once all it asks is answered. Others go first where it pauses after long work. */
  async answered<T>(evaluate: () => Steps<T>): Promise<T> {
    for (;;) {
      try {
        return await runInTurns(evaluate(), this.#turns);
      } catch (error) {
        if (!(error instanceof Unanswered)) throw error;
        this.#note(error.key, await error.decision);
      }
    }
  }

  #note(key: string, { allowed, reason }: Decision): AccessAnswer {
    const answer = { isAllowed: allowed, reason };
    this.#answers.set(key, answer);
    return answer;
  }
}

/** Leaves an expression and says what it waits for. */
class Unanswered extends Error {
  override readonly name = 'Unanswered';
  readonly key: string;
  readonly decision: Promise<Decision>;

  constructor(key: string, decision: Promise<Decision>) {
    super(`Cannot go on without knowing ${key}`);
    this.key = key;
    this.decision = decision;
  }
}

function userOf({ serviceAccount }: AccessQuestion): UserInfo | undefined {
  if (serviceAccount === undefined) return undefined;
  const groups = [...serviceAccountGroups(serviceAccount.namespace), 'system:authenticated'];
  return { username: serviceAccountUsername(serviceAccount), groups };
}

function requestOf({ verb, path, group = '', resource = '', ...target }: AccessQuestion): RequestInfo {
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
