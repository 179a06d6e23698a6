import type { Field } from '@pintle/http2';
import { CONNECTION_FIELDS, isFieldName, isFieldValue, trimFieldValue } from '@pintle/http2';
import { isTarget, isToken, unfit } from '../header-syntax.ts';
import type { TransportRequest } from '../transport.ts';

/** What a request begins with. Throws when something of it would be read as something else. */
export function requestFieldsOf(request: TransportRequest, target: string, server: URL): Field[] {
  const { method, headers = {}, body } = request;
  if (!isToken(method)) throw unfit(method);
  const { host = server.host, ...others } = headers;
  for (const text of [target, String(host)]) if (!isTarget(text)) throw unfit(text);
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
  if (!isFieldName(name) || CONNECTION_FIELDS.has(name) || name === 'te') throw unfit(name);
  for (const text of typeof values === 'string' ? [values] : values) {
    const value = trimFieldValue(text);
    if (!isFieldValue(value)) throw unfit(name);
    fields.push([name, value]);
  }
}
