import type { Field } from '@pintle/machinery/http2';
import { CONNECTION_FIELDS, isFieldName, isFieldValue } from '@pintle/machinery/http2';

export interface RequestHead {
  readonly method: string;
  /** As the client wrote it, with its query. */
  readonly target: string;
  /** Those that begin with a colon too. */
  readonly headers: Readonly<Record<string, string | string[]>>;
  /** What the client says of the body. */
  readonly length: number | undefined;
}

const PSEUDO = new Set([':method', ':scheme', ':authority', ':path']);
/** Of these the first counts. */
const SINGLE = new Set([
  'authorization',
  'content-encoding',
  'content-type',
  'date',
  'expect',
  'from',
  'host',
  'if-modified-since',
  'if-none-match',
  'if-unmodified-since',
  'max-forwards',
  'proxy-authorization',
  'referer',
  'user-agent',
]);
const LENGTH = /^\d{1,15}$/;

/** What a request begins with; undefined where RFC 9113 (section 8) calls it malformed. */
export function requestHeadOf(fields: readonly Field[]): RequestHead | undefined {
  const headers: Record<string, string | string[]> = Object.create(null);
  let isPseudoOver = false;
  for (const [name, value] of fields) {
    if (name.startsWith(':')) {
      if (isPseudoOver || !PSEUDO.has(name) || headers[name] !== undefined || !isFieldValue(value)) return undefined;
      headers[name] = value;
    } else {
      isPseudoOver = true;
      if (!isPlain(name, value)) return undefined;
      add(headers, name, value);
    }
  }
  const { ':method': method, ':scheme': scheme, ':path': target, 'content-length': length } = headers;
  if (!method || !scheme || !target || method === 'CONNECT' || !isFieldName(String(method).toLowerCase()))
    return undefined;
  if (length !== undefined && !LENGTH.test(String(length))) return undefined;
  return {
    method: String(method),
    target: String(target),
    headers,
    length: length === undefined ? undefined : Number(length),
  };
}

/** What follows a body has no meaning here, but has to be well formed. */
export function areTrailers(fields: readonly Field[]): boolean {
  return fields.every(([name, value]) => isPlain(name, value));
}

function isPlain(name: string, value: string): boolean {
  if (!isFieldName(name) || CONNECTION_FIELDS.has(name)) return false;
  return isFieldValue(value) && (name !== 'te' || value === 'trailers');
}

function add(headers: Record<string, string | string[]>, name: string, value: string): void {
  const known = headers[name];
  if (known === undefined) headers[name] = value;
  else if (name === 'cookie') headers[name] = `${String(known)}; ${value}`;
  else if (typeof known !== 'string') known.push(value);
  else if (!SINGLE.has(name)) headers[name] = [known, value];
}
