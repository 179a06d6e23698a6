import type { ApiRequest } from '../http/exchange.ts';
import type { UserInfo } from './user-info.ts';

/**
 * Says who sent a request:
 * - a user, with the name of what vouched for them;
 * - `refused`: the request carries a credential of this kind and it is not good;
 * - `undefined`: the request carries none of this kind.
 */
export type Authentication =
  | { readonly user: UserInfo; readonly source: string; readonly credentialId?: string }
  | { readonly refused: string };

export interface Authenticator {
  authenticate(request: ApiRequest): Authentication | undefined | Promise<Authentication | undefined>;
}

/** Asks each in turn. The first user found wins; a refusal counts only when nobody recognises the request. */
export class AuthenticatorChain implements Authenticator {
  readonly #links: readonly Authenticator[];

  constructor(links: readonly Authenticator[]) {
    this.#links = links;
  }

  async authenticate(request: ApiRequest): Promise<Authentication | undefined> {
    let refusal: Authentication | undefined;
    for (const link of this.#links) {
      const answer = await link.authenticate(request);
      if (answer === undefined) continue;
      if ('user' in answer) return answer;
      refusal ??= answer;
    }
    return refusal;
  }
}

/** Every user who proved who they are is in this group too. */
export function withAuthenticatedGroup(user: UserInfo): UserInfo {
  const group = 'system:authenticated';
  return user.groups.includes(group) ? user : { ...user, groups: [...user.groups, group] };
}
