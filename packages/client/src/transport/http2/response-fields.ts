import type { Field } from '@pintle/http2';
import { CONNECTION_FIELDS, Fault, isFieldName, isFieldValue } from '@pintle/http2';
import type { Headers } from '../header-syntax.ts';
import { addHeader } from '../header-syntax.ts';

export interface ResponseHead {
  readonly status: number;
  readonly headers: Headers;
  /** What the server says of the body. */
  readonly length: number | undefined;
}

/** What a response begins with. Throws a `Fault` of its stream where RFC 9113 calls it malformed. */
export function responseHeadOf(fields: readonly Field[] | undefined): ResponseHead {
  const [[first, status] = [], ...rest] = fields ?? tooMuch();
  if (first !== ':status' || !/^[1-9][0-9][0-9]$/.test(status!)) throw malformed('the response has no status');
  const headers = headersOf(rest);
  return { status: Number(status), headers, length: lengthOf(headers) };
}

/** What follows a body is checked, and dropped. */
export function checkTrailers(fields: readonly Field[] | undefined): void {
  headersOf(fields ?? tooMuch());
}

function headersOf(fields: readonly Field[]): Headers {
  const headers: Record<string, string | string[]> = Object.create(null);
  for (const [name, value] of fields) {
    if (!isFieldName(name) || CONNECTION_FIELDS.has(name)) throw malformed('a header of the response is none');
    if (!isFieldValue(value)) throw malformed('a header of the response says nothing');
    addHeader(headers, name, value);
  }
  return headers;
}

function lengthOf({ 'content-length': length }: Headers): number | undefined {
  if (length === undefined) return undefined;
  if (!/^\d{1,15}$/.test(String(length))) throw malformed('the length of the response is none');
  return Number(length);
}

function tooMuch(): never {
  throw new Fault('ENHANCE_YOUR_CALM', 'the headers of the response are too long');
}

function malformed(message: string): Fault {
  return new Fault('PROTOCOL_ERROR', message);
}
