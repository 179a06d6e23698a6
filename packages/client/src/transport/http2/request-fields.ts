import type { Field } from '@pintle/http2';
import { CONNECTION_FIELDS, isFieldName, isFieldValue, trimFieldValue } from '@pintle/http2';
import { isTarget, isToken, notAllowed } from '../header-syntax.ts';
import type { TransportRequest } from '../transport.ts';

/** Returns the header fields of a request. Throws when it has text that HTTP/2 does not allow. */
export function requestFieldsOf(request: TransportRequest, target: string, server: URL): Field[] {
  const { method, headers = {}, body } = request;
  if (!isToken(method)) throw notAllowed(method);
  const { host = server.host, ...others } = headers;
  for (const text of [target, String(host)]) if (!isTarget(text)) throw notAllowed(text);
  const fields: Field[] = [
    [':method', method],
    [':scheme', server.protocol.slice(0, -1)],
    [':authority', String(host)],
    [':path', target],
  ];
  const all = { ...others, ...(body && { 'content-length': `${body.length}` }) };
  for (const [name, values] of Object.entries(all)) addFields(fields, name.toLowerCase(), values);
  return fields;
}

function addFields(fields: Field[], name: string, values: string | readonly string[]): void {
  if (!isFieldName(name) || CONNECTION_FIELDS.has(name) || name === 'te') throw notAllowed(name);
  for (const text of typeof values === 'string' ? [values] : values) {
    const value = trimFieldValue(text);
    if (!isFieldValue(value)) throw notAllowed(name);
    fields.push([name, value]);
  }
}
