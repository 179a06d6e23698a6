import { stringifyJson } from '@pintle/machinery/json';
import type { AuditEvent, AuditObject } from './audit-event.ts';

/** Encodes the event as JSON, in the order of `AuditEvent`. By hand, because there is one for every request. */
export function encodeAuditEvent(event: AuditEvent): string {
  const { impersonatedUser, authenticationMetadata, sourceIPs, userAgent, objectRef, responseStatus } = event;
  const { annotations } = event;
  let json = `{"kind":"Event","apiVersion":"audit.k8s.io/v1","level":"${event.level}","auditID":${quoted(event.auditID)}`;
  json += `,"stage":"${event.stage}","requestURI":${quoted(event.requestURI)},"verb":${quoted(event.verb)}`;
  json += `,"user":${encodeOnce(event.user)}`;
  if (impersonatedUser !== undefined) json += `,"impersonatedUser":${encodeOnce(impersonatedUser)}`;
  if (authenticationMetadata !== undefined) json += `,"authenticationMetadata":${encodeTexts(authenticationMetadata)}`;
  if (sourceIPs !== undefined) json += `,"sourceIPs":${encodeOnce(sourceIPs)}`;
  if (userAgent !== undefined) json += `,"userAgent":${quoted(userAgent)}`;
  if (objectRef !== undefined) json += `,"objectRef":${encodeObjectRef(objectRef)}`;
  if (responseStatus !== undefined) json += `,"responseStatus":${encodeOnce(responseStatus)}`;
  if (event.requestObject !== undefined) json += `,"requestObject":${stringifyJson(event.requestObject)}`;
  if (event.responseObject !== undefined) json += `,"responseObject":${stringifyJson(event.responseObject)}`;
  json += `,"requestReceivedTimestamp":"${event.requestReceivedTimestamp}","stageTimestamp":"${event.stageTimestamp}"`;
  if (annotations !== undefined) json += `,"annotations":${encodeTexts(annotations)}`;
  return `${json}}`;
}

type Written =
  | 'kind'
  | 'apiVersion'
  | 'level'
  | 'auditID'
  | 'stage'
  | 'requestURI'
  | 'verb'
  | 'user'
  | 'impersonatedUser'
  | 'authenticationMetadata'
  | 'sourceIPs'
  | 'userAgent'
  | 'objectRef'
  | 'responseStatus'
  | 'requestObject'
  | 'responseObject'
  | 'requestReceivedTimestamp'
  | 'stageTimestamp'
  | 'annotations';

/** Does not compile when `AuditEvent` has a field that is missing above. */
export const isEveryFieldWritten: Exclude<keyof AuditEvent, Written> extends never ? true : never = true;

const encoded = new WeakMap<object, string>();

/** Caches the JSON: most events have the same few users, addresses and statuses. */
function encodeOnce(value: NonNullable<AuditEvent['user' | 'sourceIPs' | 'responseStatus']>): string {
  let json = encoded.get(value);
  if (json === undefined) {
    json = stringifyJson(value);
    encoded.set(value, json);
  }
  return json;
}

function encodeObjectRef({ resource, namespace, name, apiGroup, apiVersion, subresource }: AuditObject): string {
  let json = '';
  if (resource !== undefined) json += `,"resource":${quoted(resource)}`;
  if (namespace !== undefined) json += `,"namespace":${quoted(namespace)}`;
  if (name !== undefined) json += `,"name":${quoted(name)}`;
  if (apiGroup !== undefined) json += `,"apiGroup":${quoted(apiGroup)}`;
  if (apiVersion !== undefined) json += `,"apiVersion":${quoted(apiVersion)}`;
  if (subresource !== undefined) json += `,"subresource":${quoted(subresource)}`;
  return `{${json.slice(1)}}`;
}

function encodeTexts(texts: Readonly<Record<string, string>>): string {
  let json = '';
  for (const key in texts) json += `${json === '' ? '' : ','}${quoted(key)}:${quoted(texts[key]!)}`;
  return `{${json}}`;
}

/** Quotes texts without escapes directly, and others by JSON.stringify. */
function quoted(text: string): string {
  return PLAIN.test(text) ? `"${text}"` : JSON.stringify(text);
}

const PLAIN = /^[ !#-[\]-~]*$/;
