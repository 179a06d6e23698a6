import { stringifyJson } from '@pintle/machinery/json';
import type { AuditEvent, AuditUser } from './audit-event.ts';

/** The event as JSON. Written by hand, in the order of `AuditEvent`: there is one for every request. */
export function encodeAuditEvent(event: AuditEvent): string {
  const { impersonatedUser, authenticationMetadata, sourceIPs, userAgent, objectRef, responseStatus } = event;
  const { annotations } = event;
  let json = `{"kind":"Event","apiVersion":"audit.k8s.io/v1","level":"${event.level}","auditID":${quoted(event.auditID)}`;
  json += `,"stage":"${event.stage}","requestURI":${quoted(event.requestURI)},"verb":${quoted(event.verb)}`;
  json += `,"user":${encodeUser(event.user)}`;
  if (impersonatedUser !== undefined) json += `,"impersonatedUser":${encodeUser(impersonatedUser)}`;
  if (authenticationMetadata !== undefined) json += `,"authenticationMetadata":${encodeTexts(authenticationMetadata)}`;
  if (sourceIPs !== undefined) json += `,"sourceIPs":[${sourceIPs.map(quoted).join()}]`;
  if (userAgent !== undefined) json += `,"userAgent":${quoted(userAgent)}`;
  if (objectRef !== undefined) json += `,"objectRef":${encodeTexts(objectRef)}`;
  if (responseStatus !== undefined) json += `,"responseStatus":${stringifyJson(responseStatus as never)}`;
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

/** Does not compile when an event gets a field that is not written above. */
export const isEveryFieldWritten: Exclude<keyof AuditEvent, Written> extends never ? true : never = true;

const users = new WeakMap<AuditUser, string>();

/** The same few users come with most events. */
function encodeUser(user: AuditUser): string {
  let json = users.get(user);
  if (json === undefined) {
    json = stringifyJson(user as never);
    users.set(user, json);
  }
  return json;
}

function encodeTexts(texts: object): string {
  let json = '';
  for (const [key, value] of Object.entries(texts)) {
    if (value !== undefined) json += `${json === '' ? '' : ','}${quoted(key)}:${quoted(value as string)}`;
  }
  return `{${json}}`;
}

/** Most texts need no escapes; JSON.stringify is for the others. */
function quoted(text: string): string {
  return PLAIN.test(text) ? `"${text}"` : JSON.stringify(text);
}

const PLAIN = /^[ !#-[\]-~]*$/;
