import type { PathRequest, RequestInfo, ResourceRequest } from '@pintle/apiserver/request';
import type { PolicyRule } from '@pintle/kinds/rbac/v1';

/** True when the rule covers a request. */
export type RuleTest = (info: RequestInfo) => boolean;

export type TextTest = (text: string) => boolean;

/** Compiles a rule for repeated use. */
export function compileRule(rule: PolicyRule): RuleTest {
  const { verbs = [], apiGroups = [], resources = [], resourceNames = [], nonResourceURLs = [] } = rule;
  const verb = oneOf(verbs);
  const group = oneOf(apiGroups);
  const resource = resourceTest(resources);
  const name = resourceNames.length === 0 ? anything : exactly(resourceNames);
  const path = pathTest(nonResourceURLs);
  const ofResource = (info: ResourceRequest): boolean =>
    verb(info.verb) && group(info.group) && resource(info) && name(info.authorizedName);
  const ofPath = (info: PathRequest): boolean => verb(info.verb) && path(info.path);
  return (info) => (info.kind === 'resource' ? ofResource(info) : ofPath(info));
}

/** True for `*`, the same path, or a prefix that ends in a star. */
function pathCovers(pattern: string, path: string): boolean {
  if (pattern === '*' || pattern === path) return true;
  return pattern.endsWith('*') && path.startsWith(withoutStars(pattern));
}

// `*` is every resource and subresource; `pods` is pods alone, `pods/log` one subresource, `*/log` that of any.
function resourceTest(resources: readonly string[]): (info: ResourceRequest) => boolean {
  if (resources.includes('*')) return anything;
  const listed = exactly(resources);
  const hasStars = resources.some((resource) => resource.startsWith('*/'));
  return ({ resource, subresource }) => {
    if (subresource === '') return listed(resource);
    return listed(`${resource}/${subresource}`) || (hasStars && listed(`*/${subresource}`));
  };
}

function pathTest(patterns: readonly string[]): TextTest {
  return (path) => patterns.some((pattern) => pathCovers(pattern, path));
}

export function withoutStars(pattern: string): string {
  let end = pattern.length;
  while (end > 0 && pattern[end - 1] === '*') end--;
  return pattern.slice(0, end);
}

const anything = (): boolean => true;

export function oneOf(texts: readonly string[]): TextTest {
  return texts.includes('*') ? anything : exactly(texts);
}

function exactly(texts: readonly string[]): TextTest {
  const [only] = texts;
  if (texts.length === 1) return (text) => text === only;
  const set = new Set(texts);
  return (text) => set.has(text);
}
