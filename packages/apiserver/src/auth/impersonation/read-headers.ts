import { badRequestError, quote } from '@pintle/machinery/errors';
import type { ApiRequest } from '../../request/exchange.ts';
import type { UserInfo } from '../../request/user-info.ts';
import { unescapeKey, valuesOf } from '../request-header-authenticator.ts';

const EXTRA_PREFIX = 'impersonate-extra-';

/** Whom a request wants to act as, exactly as its headers say. `undefined`: as nobody else. */
export function readImpersonation({ headers }: Pick<ApiRequest, 'headers'>): UserInfo | undefined {
  if (!isAnythingAsked(headers)) return undefined;
  const username = valuesOf(headers['impersonate-user'])[0] ?? '';
  const uid = valuesOf(headers['impersonate-uid'])[0] ?? '';
  const groups = valuesOf(headers['impersonate-group']);
  const extra = readExtra(headers);
  const wanted = { username, groups, ...(uid !== '' && { uid }), ...(extra.size > 0 && { extra: toRecord(extra) }) };
  if (username !== '') return wanted;
  if (uid === '' && groups.length === 0 && extra.size === 0) return undefined;
  throw badRequestError(`requested ${describe(groups, uid, extra)} without impersonating a user name`);
}

/** Hardly any request asks, and all are looked at. */
function isAnythingAsked(headers: ApiRequest['headers']): boolean {
  for (const name in headers) if (name.startsWith('impersonate-')) return true;
  return false;
}

function readExtra(headers: ApiRequest['headers']): Map<string, string[]> {
  const extra = new Map<string, string[]>();
  for (const [name, value] of Object.entries(headers)) {
    if (!name.startsWith(EXTRA_PREFIX) || value === undefined) continue;
    const key = unescapeKey(name.slice(EXTRA_PREFIX.length));
    extra.set(key, [...(extra.get(key) ?? []), ...valuesOf(value)]);
  }
  return extra;
}

/** Clients choose the keys; none of them may reach a prototype. */
function toRecord(extra: ReadonlyMap<string, string[]>): Record<string, string[]> {
  return Object.fromEntries(extra);
}

/** As Go prints the value, which is what clients of old see. */
function describe(groups: readonly string[], uid: string, extra: ReadonlyMap<string, readonly string[]>): string {
  const entries = [...extra].sort(([a], [b]) => (a < b ? -1 : 1)).map(([key, list]) => `${quote(key)}:${goList(list)}`);
  const extraText = extra.size === 0 ? 'map[string][]string(nil)' : `map[string][]string{${entries.join(', ')}}`;
  return `&user.DefaultInfo{Name:"", UID:${quote(uid)}, Groups:${goList(groups)}, Extra:${extraText}}`;
}

function goList(texts: readonly string[]): string {
  return texts.length === 0 ? '[]string(nil)' : `[]string{${texts.map(quote).join(', ')}}`;
}
