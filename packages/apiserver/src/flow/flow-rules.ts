import type { FlowSchema, PolicyRulesWithSubjects, Subject } from '@pintle/kinds/flowcontrol/v1';
import type { PathRequest, RequestInfo, ResourceRequest } from '../request/request-info.ts';
import type { UserInfo } from '../request/user-info.ts';

/** Which requests of a user are meant. */
export type AsksFor = (info: RequestInfo) => boolean;

/** What a flow schema says about the requests of one user; `undefined`: nothing, whatever they ask for. */
export function rulesFor(schema: FlowSchema, user: UserInfo): AsksFor | undefined {
  const rules = (schema.spec?.rules ?? []).filter(({ subjects }) => subjects?.some((one) => isSubject(one, user)));
  const asked = rules.map(compileRule);
  if (asked.length === 0) return undefined;
  return asked.includes(ANYTHING) ? ANYTHING : (info) => asked.some((asks) => asks(info));
}

function isSubject({ kind, user: one, group, serviceAccount: account }: Subject, user: UserInfo): boolean {
  switch (kind) {
    case 'User':
      return one?.name === '*' || one?.name === user.username;
    case 'Group':
      return group?.name === '*' || (group !== undefined && user.groups.includes(group.name));
    case 'ServiceAccount':
      return account !== undefined && isAccount(account, user.username);
    default:
      return false;
  }
}

function isAccount(account: { readonly namespace: string; readonly name: string }, username: string): boolean {
  const prefix = `system:serviceaccount:${account.namespace}:`;
  return account.name === '*' ? username.startsWith(prefix) : username === `${prefix}${account.name}`;
}

const ANYTHING: AsksFor = () => true;

function compileRule({ resourceRules = [], nonResourceRules = [] }: PolicyRulesWithSubjects): AsksFor {
  const resources = resourceRules.map((rule) => {
    const isVerb = among(rule.verbs);
    const isGroup = among(rule.apiGroups);
    const isResource = among(rule.resources);
    const isNamespace = among(rule.namespaces);
    const asks = (info: ResourceRequest): boolean =>
      isVerb(info.verb) &&
      isGroup(info.group) &&
      isResource(info.subresource === '' ? info.resource : `${info.resource}/${info.subresource}`) &&
      (info.namespace === '' ? rule.clusterScope === true : isNamespace(info.namespace));
    const isAll = [isVerb, isGroup, isResource, isNamespace].every((part) => part === ALL) && rule.clusterScope;
    return isAll ? ANYTHING : asks;
  });
  const paths = nonResourceRules.map(({ verbs, nonResourceURLs }) => {
    const isVerb = among(verbs);
    const isUrl = nonResourceURLs?.includes('*') ? ALL : (path: string) => nonResourceURLs.some(isPrefixOf(path));
    return isVerb === ALL && isUrl === ALL ? ANYTHING : ({ verb, path }: PathRequest) => isVerb(verb) && isUrl(path);
  });
  if (resources.includes(ANYTHING) && paths.includes(ANYTHING)) return ANYTHING;
  return (info) => (info.kind === 'resource' ? resources.some((asks) => asks(info)) : paths.some((asks) => asks(info)));
}

const ALL = (): boolean => true;

function among(list: readonly string[] | undefined): (text: string) => boolean {
  if (list?.includes('*')) return ALL;
  return (text) => list?.includes(text) ?? false;
}

/** `/healthz` is that path alone, `/healthz/*` everything behind it. */
function isPrefixOf(path: string): (pattern: string) => boolean {
  return (pattern) => (pattern.endsWith('*') ? path.startsWith(pattern.slice(0, -1)) : path === pattern);
}
