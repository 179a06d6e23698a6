import type { Field } from '@pintle/http2';
import { CONNECTION_FIELDS, isFieldName, isFieldValue } from '@pintle/http2';
import type { RequestHeaders } from '../request-headers.ts';
import { addHeader, emptyHeaders, isHost } from '../request-headers.ts';

export interface RequestHead {
  readonly method: string;
  /** As the client wrote it, with its query. */
  readonly target: string;
  /** Those that begin with a colon are left out: `host` is the authority. */
  readonly headers: Readonly<RequestHeaders>;
  /** What the client says of the body. */
  readonly length: number | undefined;
}

const LENGTH = /^\d{1,15}$/;

/** What a request begins with; undefined where RFC 9113 (section 8) calls it malformed. */
export function requestHeadOf(fields: readonly Field[]): RequestHead | undefined {
  const pseudo: Pseudo = { ':method': '', ':scheme': '', ':authority': '', ':path': '' };
  const headers = emptyHeaders();
  let isPseudoOver = false;
  let lengths = 0;
  for (const [name, value] of fields) {
    if (name.startsWith(':')) {
      if (isPseudoOver || !isPseudo(name) || pseudo[name] !== '' || !isFieldValue(value)) return undefined;
      pseudo[name] = value;
    } else {
      isPseudoOver = true;
      if (!isPlain(name, value)) return undefined;
      if (name === 'content-length') lengths++;
      addHeader(headers, name, value);
    }
  }
  const { ':method': method, ':scheme': scheme, ':authority': authority, ':path': target } = pseudo;
  if (!method || !scheme || !target || method === 'CONNECT' || !isFieldName(method.toLowerCase())) return undefined;
  if (!target.startsWith('/') && !(target === '*' && method === 'OPTIONS')) return undefined;
  if (authority !== '') headers.host = authority;
  if (!isHost(String(headers.host ?? ''))) return undefined;
  const length = headers['content-length'];
  if (length !== undefined && (lengths > 1 || !LENGTH.test(String(length)))) return undefined;
  return { method, target, headers, length: length === undefined ? undefined : Number(length) };
}

/** An empty one counts as left out. */
type Pseudo = Record<':method' | ':scheme' | ':authority' | ':path', string>;

function isPseudo(name: string): name is keyof Pseudo {
  return name === ':method' || name === ':scheme' || name === ':authority' || name === ':path';
}

/** What follows a body has no meaning here, but has to be well formed. */
export function areTrailers(fields: readonly Field[]): boolean {
  return fields.every(([name, value]) => isPlain(name, value));
}

function isPlain(name: string, value: string): boolean {
  if (!isFieldName(name) || CONNECTION_FIELDS.has(name)) return false;
  return isFieldValue(value) && (name !== 'te' || value === 'trailers');
}
