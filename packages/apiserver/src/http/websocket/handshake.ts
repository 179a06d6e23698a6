import type { ApiRequest } from '../../request/exchange.ts';
import { headerOf } from '../../request/exchange.ts';

const TOKEN_PROTOCOL = 'base64url.bearer.authorization.k8s.io.';
/** 16 bytes in base64. */
const KEY = /^[+/0-9A-Za-z]{22}==$/;

/** Parts of a client's handshake with a meaning in Kubernetes. `ws` reads the rest. */
export interface Handshake {
  /** Protocol to accept; `undefined` when the client offers none. */
  readonly protocol?: string;
  /** Bearer token that browsers, which cannot set headers, send as a protocol. Never sent back. */
  readonly token?: string;
}

export function isWebSocketUpgrade(request: Pick<ApiRequest, 'headers'>): boolean {
  const hasToken = (name: string, token: string): boolean =>
    (headerOf(request, name) ?? '').split(',').some((part) => part.trim().toLowerCase() === token);
  return hasToken('connection', 'upgrade') && hasToken('upgrade', 'websocket');
}

/** Reads the handshake. Returns a text for an invalid one, in Kubernetes' words where it has some. */
export function readHandshake(request: Pick<ApiRequest, 'headers'>): Handshake | string {
  if (headerOf(request, 'sec-websocket-version') !== '13') return 'missing or bad WebSocket Version';
  if (!KEY.test(headerOf(request, 'sec-websocket-key') ?? '')) return 'mismatch challenge/response';
  const protocols = (headerOf(request, 'sec-websocket-protocol') ?? '')
    .split(',', 32)
    .flatMap((part) => part.trim() || []);
  const tokens = protocols.filter((protocol) => protocol.startsWith(TOKEN_PROTOCOL));
  const others = protocols.filter((protocol) => !protocol.startsWith(TOKEN_PROTOCOL));
  if (tokens.length > 1) return 'more than one bearer token was sent as a protocol';
  if (tokens.length === 1 && others.length === 0) return 'missing additional subprotocol';
  return {
    ...(others[0] !== undefined && { protocol: others[0] }),
    ...(tokens[0] !== undefined && { token: decodeToken(tokens[0]) }),
  };
}

function decodeToken(protocol: string): string {
  return Buffer.from(protocol.slice(TOKEN_PROTOCOL.length), 'base64url').toString();
}
