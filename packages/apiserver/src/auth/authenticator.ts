import type { Eventual } from '@pintle/async';
import { after } from '@pintle/async';
import type { ApiRequest } from '../request/exchange.ts';
import type { UserInfo } from '../request/user-info.ts';
import { ANONYMOUS } from '../request/user-info.ts';

/**
 * Says who sent a request:
 * - a user, with the name of what vouched for them;
 * - `refused`: the request carries a credential of this kind and it is not good;
 * - `undefined`: the request carries none of this kind.
 */
export type Authentication =
  | {
      readonly user: UserInfo;
      readonly source: string;
      readonly credentialId?: string;
      /** Those of the wanted audiences that the credential is for. Absent: it is for this server. */
      readonly audiences?: readonly string[];
    }
  | Refused;

/** Why a credential is not good. */
export interface Refused {
  readonly refused: string;
}

export interface AuthenticationOptions {
  /** Whom the credential must be meant for. Default: this server. */
  readonly audiences?: readonly string[];
}

export interface Authenticator {
  authenticate(request: ApiRequest, options?: AuthenticationOptions): Eventual<Authentication | undefined>;
}

/** Why a token is refused by those who have never seen it. */
export const UNKNOWN_TOKEN = 'invalid bearer token';

/** Asks each in turn. The first user found wins; a refusal counts only when nobody recognises the request. */
export class AuthenticatorChain implements Authenticator {
  readonly #links: readonly Authenticator[];

  constructor(links: readonly Authenticator[]) {
    this.#links = links;
  }

  authenticate(request: ApiRequest, options?: AuthenticationOptions): Eventual<Authentication | undefined> {
    return this.#ask(0, undefined, request, options);
  }

  #ask(
    index: number,
    refusal: Refused | undefined,
    request: ApiRequest,
    options: AuthenticationOptions | undefined,
  ): Eventual<Authentication | undefined> {
    const link = this.#links[index];
    if (link === undefined) return refusal;
    return after(link.authenticate(request, options), (answer) => {
      if (answer !== undefined && 'user' in answer) return answer;
      return this.#ask(index + 1, graver(refusal, answer), request, options);
    });
  }
}

/** Who does not know a token has less to say than who knows what is wrong with it. */
function graver(earlier: Refused | undefined, later: Refused | undefined): Refused | undefined {
  return later !== undefined && (earlier === undefined || earlier.refused === UNKNOWN_TOKEN) ? later : earlier;
}

/** Every user who proved who they are is in this group too; a stranger of whom a proxy tells stays one. */
export function withAuthenticatedGroup(user: UserInfo): UserInfo {
  const { username, groups } = user;
  const isStranger = username === ANONYMOUS.username || ANONYMOUS.groups.some((group) => groups.includes(group));
  return isStranger || groups.includes(AUTHENTICATED) ? user : { ...user, groups: [...groups, AUTHENTICATED] };
}

const AUTHENTICATED = 'system:authenticated';
