import { badRequestError } from '@pintle/machinery/errors';
import { isJsonObject, type JsonObject, type JsonValue } from '@pintle/machinery/json';
import type { AuditPolicy, AuditResources, AuditRule } from './audit-policy.ts';
import { AUDIT_LEVELS, AUDIT_STAGES } from './audit-policy.ts';

/** Reads a parsed policy file. Throws, with the path of the field, when it is not a valid `audit.k8s.io/v1` Policy. */
export function readAuditPolicy(value: JsonValue): AuditPolicy {
  if (!isJsonObject(value) || value.apiVersion !== 'audit.k8s.io/v1' || value.kind !== 'Policy') {
    throw refuse('it is not of apiVersion audit.k8s.io/v1 and kind Policy');
  }
  if (!Array.isArray(value.rules) || value.rules.length === 0) throw refuse('rules: it has none');
  return {
    rules: value.rules.map((rule, i) => readRule(rule, `rules[${i}]`)),
    omitStages: chosen(value, 'omitStages', AUDIT_STAGES, ''),
    omitManagedFields: value.omitManagedFields === true,
  };
}

function readRule(value: JsonValue, at: string): AuditRule {
  if (!isJsonObject(value)) throw refuse(`${at}: it is not an object`);
  const level = AUDIT_LEVELS.find((candidate) => candidate === value.level);
  if (level === undefined) throw refuse(`${at}.level: it is not one of ${AUDIT_LEVELS.join(', ')}`);
  const resources = value.resources ?? [];
  if (!Array.isArray(resources)) throw refuse(`${at}.resources: it is not a list`);
  const nonResourceURLs = texts(value, 'nonResourceURLs', at);
  for (const url of nonResourceURLs) checkUrl(url, `${at}.nonResourceURLs`);
  if (nonResourceURLs.length > 0 && (resources.length > 0 || texts(value, 'namespaces', at).length > 0)) {
    throw refuse(`${at}.nonResourceURLs: a rule has paths or resources, not both`);
  }
  return {
    level,
    users: texts(value, 'users', at),
    userGroups: texts(value, 'userGroups', at),
    verbs: texts(value, 'verbs', at),
    namespaces: texts(value, 'namespaces', at),
    nonResourceURLs,
    resources: resources.map((item, i) => readResources(item, `${at}.resources[${i}]`)),
    omitStages: chosen(value, 'omitStages', AUDIT_STAGES, at),
    ...(typeof value.omitManagedFields === 'boolean' && { omitManagedFields: value.omitManagedFields }),
  };
}

function readResources(value: JsonValue, at: string): AuditResources {
  if (!isJsonObject(value)) throw refuse(`${at}: it is not an object`);
  const group = typeof value.group === 'string' ? value.group : '';
  if (group.includes('/')) throw refuse(`${at}.group: ${JSON.stringify(group)} has a version; name the group alone`);
  const resources = texts(value, 'resources', at);
  const resourceNames = texts(value, 'resourceNames', at);
  if (resourceNames.length > 0 && resources.length === 0) {
    throw refuse(`${at}.resourceNames: resources must be set too`);
  }
  return { group, resources, resourceNames };
}

function checkUrl(url: string, at: string): void {
  if (url === '*') return;
  if (!url.startsWith('/')) throw refuse(`${at}: ${JSON.stringify(url)} does not begin with a slash`);
  if (url.slice(0, -1).includes('*')) throw refuse(`${at}: ${JSON.stringify(url)} has a * that is not its end`);
}

function texts(value: JsonObject, field: string, at: string): string[] {
  const list = value[field] ?? [];
  if (!Array.isArray(list)) throw refuse(`${at}.${field}: it is not a list`);
  return list.map((item) => {
    if (typeof item !== 'string') throw refuse(`${at}.${field}: it is not a list of texts`);
    return item;
  });
}

function chosen<T extends string>(value: JsonObject, field: string, allowed: readonly T[], at: string): T[] {
  return texts(value, field, at).map((text) => {
    const found = allowed.find((candidate) => candidate === text);
    if (found === undefined)
      throw refuse(`${at}.${field}: ${JSON.stringify(text)} is not one of ${allowed.join(', ')}`);
    return found;
  });
}

function refuse(why: string): Error {
  return badRequestError(`Cannot read the audit policy: ${why}`);
}
