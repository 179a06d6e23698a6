import type { OutgoingHttpHeaders } from 'node:http';
import type { ApiRequest, UserInfo } from '@pintle/apiserver';
import type { RequestState } from '@pintle/apiserver/request';
import { headerOf } from '@pintle/apiserver/request';

/** Headers of one connection, which are not forwarded. */
export const HOP_BY_HOP: ReadonlySet<string> = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);
/** Identity headers, which only this server may set. */
const IDENTITY = /^(authorization$|x-remote-|impersonate-)/;
const HANDLED = new Set(['host', 'expect', 'http2-settings', ...HOP_BY_HOP]);

/** Returns the headers for the backend: those of the client, the forwarding headers, and the user. */
export function forwardedHeaders({ request, user, auditId }: RequestState): OutgoingHttpHeaders {
  // Without a prototype, because clients choose the names.
  const headers: OutgoingHttpHeaders = Object.create(null);
  const named = namedInConnection(headerOf(request, 'connection'));
  for (const [name, value] of Object.entries(request.headers)) {
    if (value === undefined || HANDLED.has(name) || IDENTITY.test(name) || named.has(name)) continue;
    headers[name] = typeof value === 'string' ? value : [...value];
    if (name === 'sec-websocket-protocol') headers[name] = withoutToken(headerOf(request, name) ?? '');
  }
  const earlier = headerOf(request, 'x-forwarded-for');
  const { address } = request.peer;
  return {
    ...headers,
    'audit-id': auditId,
    'x-forwarded-for': earlier === undefined ? address : `${earlier}, ${address}`,
    'x-forwarded-host': hostOf(request),
    'x-forwarded-proto': 'https',
    'x-forwarded-uri': request.path,
    ...userHeaders(user),
  };
}

/** Returns the headers that `Connection` lists. */
export function namedInConnection(connection: string | undefined): ReadonlySet<string> {
  return connection === undefined
    ? NONE
    : new Set(
        connection
          .toLowerCase()
          .split(',')
          .map((name) => name.trim()),
      );
}

const NONE: ReadonlySet<string> = new Set();

/** Removes the bearer token that browsers send as a protocol: it is for this server only. */
function withoutToken(protocols: string): string {
  const names = protocols.split(',').map((name) => name.trim());
  return names.filter((name) => !name.startsWith('base64url.bearer.authorization.k8s.io.')).join(', ');
}

/** Returns the request headers of a front proxy for a user. */
export function userHeaders({ username, uid, groups, extra = {} }: UserInfo): OutgoingHttpHeaders {
  const extras = Object.entries(extra).map(([key, values]) => [
    `x-remote-extra-${escapeKey(key)}`,
    values.map(headerText),
  ]);
  return {
    'x-remote-user': headerText(username),
    ...(uid && { 'x-remote-uid': headerText(uid) }),
    ...(groups.length > 0 && { 'x-remote-group': groups.map(headerText) }),
    ...Object.fromEntries(extras),
  };
}

function hostOf(request: ApiRequest): string {
  return headerOf(request, 'host') ?? '';
}

/** Percent-encodes the characters that header names cannot contain, and the percent sign itself. */
function escapeKey(key: string): string {
  const escapeByte = (byte: number): string => {
    const character = String.fromCharCode(byte);
    return /[!#$&'*+.^_`|~0-9A-Za-z-]/.test(character)
      ? character
      : `%${byte.toString(16).padStart(2, '0').toUpperCase()}`;
  };
  return [...Buffer.from(key)].map(escapeByte).join('');
}

/** Returns UTF-8 bytes as a header value. */
function headerText(text: string): string {
  return Buffer.from(text).toString('latin1');
}

/**
 * True when headers can represent the user. They cannot contain control characters, and spaces around a value are
 * trimmed: the backend would see another user.
 */
export function fitsInHeaders({ username, uid = '', groups, extra = {} }: UserInfo): boolean {
  return [username, uid, ...groups, ...Object.values(extra).flat()].every(
    (text) => !/\p{Cc}/u.test(text) && !text.startsWith(' ') && !text.endsWith(' '),
  );
}
