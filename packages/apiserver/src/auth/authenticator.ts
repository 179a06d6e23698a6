import type { ApiRequest } from '../http/exchange.ts';
import type { UserInfo } from './user-info.ts';

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
  | { readonly refused: string };

export interface AuthenticationOptions {
  /** Whom the credential must be meant for. Default: this server. */
  readonly audiences?: readonly string[];
}

export interface Authenticator {
  authenticate(
    request: ApiRequest,
    options?: AuthenticationOptions,
  ): Authentication | undefined | Promise<Authentication | undefined>;
}

/** Why a token is refused by those who have never seen it. */
export const UNKNOWN_TOKEN = 'invalid bearer token';

/** Asks each in turn. The first user found wins; a refusal counts only when nobody recognises the request. */
export class AuthenticatorChain implements Authenticator {
  readonly #links: readonly Authenticator[];

  constructor(links: readonly Authenticator[]) {
    this.#links = links;
  }

  async authenticate(request: ApiRequest, options?: AuthenticationOptions): Promise<Authentication | undefined> {
    let refusal: { readonly refused: string } | undefined;
    for (const link of this.#links) {
      const asked = link.authenticate(request, options);
      const answer = asked instanceof Promise ? await asked : asked;
      if (answer === undefined) continue;
      if ('user' in answer) return answer;
      // Who does not know a token has less to say than who knows what is wrong with it.
      if (refusal === undefined || refusal.refused === UNKNOWN_TOKEN) refusal = answer;
    }
    return refusal;
  }
}

/** Every user who proved who they are is in this group too. */
export function withAuthenticatedGroup(user: UserInfo): UserInfo {
  const group = 'system:authenticated';
  return user.groups.includes(group) ? user : { ...user, groups: [...user.groups, group] };
}
