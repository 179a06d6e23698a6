import type { Field } from '@pintle/http2';
import { CONNECTION_FIELDS, Http2Error, isFieldName, isFieldValue } from '@pintle/http2';
import type { Headers } from '../header-syntax.ts';
import { addHeader, quoted } from '../header-syntax.ts';

export interface ResponseHead {
  readonly status: number;
  readonly headers: Headers;
  /** Value of content-length. */
  readonly length: number | undefined;
}

/** Reads the head of a response. Throws an `Http2Error` of the stream when it is malformed by RFC 9113. */
export function responseHeadOf(fields: readonly Field[] | undefined): ResponseHead {
  const [[first, status] = [], ...rest] = fields ?? tooMuch();
  if (first !== ':status' || !/^[1-9][0-9][0-9]$/.test(status!)) throw malformed('the response has no valid :status');
  const headers = headersOf(rest);
  return { status: Number(status), headers, length: lengthOf(headers) };
}

/** Checks the trailers, which are otherwise ignored. */
export function checkTrailers(fields: readonly Field[] | undefined): void {
  headersOf(fields ?? tooMuch());
}

function headersOf(fields: readonly Field[]): Headers {
  const headers: Record<string, string | string[]> = Object.create(null);
  for (const [name, value] of fields) {
    if (!isFieldName(name)) throw malformed(`response header name ${quoted(name)} is not a token`);
    if (CONNECTION_FIELDS.has(name)) throw malformed(`response header ${name} is not allowed in HTTP/2`);
    if (!isFieldValue(value)) throw malformed(`response header ${name} has an invalid value`);
    addHeader(headers, name, value);
  }
  return headers;
}

function lengthOf({ 'content-length': length }: Headers): number | undefined {
  if (length === undefined) return undefined;
  if (!/^\d{1,15}$/.test(String(length)))
    throw malformed(`response content-length ${quoted(String(length))} is not a number`);
  return Number(length);
}

function tooMuch(): never {
  throw new Http2Error('ENHANCE_YOUR_CALM', 'the response headers are too long');
}

function malformed(message: string): Http2Error {
  return new Http2Error('PROTOCOL_ERROR', message);
}
