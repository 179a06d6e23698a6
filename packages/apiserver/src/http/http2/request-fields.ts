import type { Field } from '@pintle/machinery/http2';
import { CONNECTION_FIELDS, isFieldName, isFieldValue } from '@pintle/machinery/http2';
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

const PSEUDO = new Set([':method', ':scheme', ':authority', ':path']);
const LENGTH = /^\d{1,15}$/;

/** What a request begins with; undefined where RFC 9113 (section 8) calls it malformed. */
export function requestHeadOf(fields: readonly Field[]): RequestHead | undefined {
  const pseudo = new Map<string, string>();
  const headers = emptyHeaders();
  let isPseudoOver = false;
  let lengths = 0;
  for (const [name, value] of fields) {
    if (name.startsWith(':')) {
      if (isPseudoOver || !PSEUDO.has(name) || pseudo.has(name) || !isFieldValue(value)) return undefined;
      pseudo.set(name, value);
    } else {
      isPseudoOver = true;
      if (!isPlain(name, value)) return undefined;
      if (name === 'content-length') lengths++;
      addHeader(headers, name, withoutSpace(value));
    }
  }
  const method = pseudo.get(':method');
  const target = pseudo.get(':path');
  if (!method || !pseudo.get(':scheme') || !target || method === 'CONNECT' || !isFieldName(method.toLowerCase()))
    return undefined;
  const authority = pseudo.get(':authority');
  if (authority) headers.host = authority;
  if (!isHost(String(headers.host ?? ''))) return undefined;
  const length = headers['content-length'];
  if (length !== undefined && (lengths > 1 || !LENGTH.test(String(length)))) return undefined;
  return { method, target, headers, length: length === undefined ? undefined : Number(length) };
}

/** HTTP/1.1 does not count white space around a value as part of it. */
function withoutSpace(value: string): string {
  return SPACE_AROUND.test(value) ? value.replace(SPACES_AROUND, '') : value;
}

const SPACE_AROUND = /^[\t ]|[\t ]$/;
const SPACES_AROUND = /^[\t ]+|[\t ]+$/g;

/** What follows a body has no meaning here, but has to be well formed. */
export function areTrailers(fields: readonly Field[]): boolean {
  return fields.every(([name, value]) => isPlain(name, value));
}

function isPlain(name: string, value: string): boolean {
  if (!isFieldName(name) || CONNECTION_FIELDS.has(name)) return false;
  return isFieldValue(value) && (name !== 'te' || value === 'trailers');
}
