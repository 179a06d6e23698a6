import { createHash } from 'node:crypto';
import type { ApiRequest } from '../request/exchange.ts';
import type { UserInfo } from '../request/user-info.ts';
import type { Authentication, Authenticator } from './authenticator.ts';
import { bearerToken, UNKNOWN_TOKEN, withAuthenticatedGroup } from './authenticator.ts';

/**
 * Authenticates bearer tokens of a list that is fixed when the server starts. Keeps and looks up SHA-256 digests, so that
 * neither timing nor a heap dump reveals tokens.
 */
export class TokenAuthenticator implements Authenticator {
  readonly #users: ReadonlyMap<string, UserInfo>;

  constructor(tokens: Iterable<{ readonly token: string; readonly user: UserInfo }>) {
    this.#users = new Map([...tokens].map(({ token, user }) => [digest(token), withAuthenticatedGroup(user)]));
  }

  authenticate(request: ApiRequest): Authentication | undefined {
    const token = bearerToken(request);
    if (token === undefined) return undefined;
    const user = this.#users.get(digest(token));
    return user === undefined ? { refused: UNKNOWN_TOKEN } : { user, source: 'token' };
  }
}

/**
 * Reads kube-apiserver's token file: lines of `token,user,uid,"group1,group2"`. Throws with the line's number when a
 * line has less than three fields.
 */
export function parseTokenFile(text: string): { token: string; user: UserInfo }[] {
  return text.split('\n').flatMap((line, i) => {
    const trimmed = line.trim();
    if (trimmed === '' || trimmed.startsWith('#')) return [];
    const [token, username, uid, groups] = splitCsv(trimmed);
    if (!token || !username || uid === undefined) {
      throw new SyntaxError(`Cannot read the token file: line ${i + 1} has no token, user and uid`);
    }
    return [{ token, user: { username, ...(uid === '' ? {} : { uid }), groups: groups ? groups.split(',') : [] } }];
  });
}

function splitCsv(line: string): string[] {
  const fields: string[] = [];
  let field = '';
  let isQuoted = false;
  for (const char of line) {
    if (char === '"') isQuoted = !isQuoted;
    else if (char === ',' && !isQuoted) {
      fields.push(field.trim());
      field = '';
    } else field += char;
  }
  return [...fields, field.trim()];
}

function digest(token: string): string {
  return createHash('sha256').update(token).digest('base64');
}
