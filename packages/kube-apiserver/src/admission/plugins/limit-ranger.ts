import type { AdmissionPlugin } from '@pintle/apiserver/admission';
import type { FollowedObjects } from '@pintle/apiserver/cache';
import type { AdmissionRequest } from '@pintle/apiserver/resource';
import type { Container, LimitRange, LimitRangeItem, PersistentVolumeClaim, Pod } from '@pintle/kinds/core/v1';
import type { Amounts } from '@pintle/kinds/usage';
import { podAmounts, readAmounts } from '@pintle/kinds/usage';
import { deepCopy } from '@pintle/machinery/json';
import { forbid, isWriteOf } from './targets.ts';

const ANNOTATION = 'kubernetes.io/limit-ranger';

/** Applies the LimitRanges of the namespace to pods and claims: fills in defaults and refuses values out of range. */
export function limitRangerPlugin(ranges: FollowedObjects<LimitRange>): AdmissionPlugin {
  return {
    name: 'LimitRanger',
    handles: (request) =>
      isWriteOf(request, 'pods') ||
      isWriteOf(request, 'pods', ['UPDATE'], 'resize') ||
      isWriteOf(request, 'persistentvolumeclaims', ['CREATE', 'UPDATE']),
    mutate: async (request) => {
      if (request.context.info.resource !== 'pods') return;
      for (const range of (await ranges.now(request.namespace)).values()) fillIn(request.object as Pod, range);
      // Resources of the whole pod may be derived from those of its containers.
      if ((request.object as Pod).spec?.resources !== undefined)
        request.context.resource.rules.default?.(request.object!);
    },
    validate: async (request) => {
      for (const range of (await ranges.now(request.namespace)).values()) check(request, range);
    },
  };
}

function fillIn(pod: Pod, { spec }: LimitRange): void {
  const defaults = { limits: {} as Record<string, string>, requests: {} as Record<string, string> };
  for (const item of spec?.limits ?? []) {
    if (item.type !== 'Container') continue;
    Object.assign(defaults.limits, deepCopy(item.default ?? {}));
    Object.assign(defaults.requests, deepCopy(item.defaultRequest ?? {}));
  }
  const notes = [
    ...(pod.spec?.containers ?? []).flatMap((container) => fillContainer(container, 'container', defaults)),
    ...(pod.spec?.initContainers ?? []).flatMap((container) => fillContainer(container, 'init container', defaults)),
  ];
  if (notes.length === 0) return;
  pod.metadata.annotations = {
    ...pod.metadata.annotations,
    [ANNOTATION]: `LimitRanger plugin set: ${notes.join('; ')}`,
  };
}

function fillContainer(
  container: Container,
  what: string,
  defaults: { readonly limits: Record<string, string>; readonly requests: Record<string, string> },
): string[] {
  const resources = { ...container.resources };
  const notes: string[] = [];
  for (const which of ['requests', 'limits'] as const) {
    const added = Object.keys(defaults[which]).filter((name) => resources[which]?.[name] === undefined);
    if (added.length === 0) continue;
    resources[which] = {
      ...resources[which],
      ...Object.fromEntries(added.map((name) => [name, defaults[which][name]!])),
    };
    notes.push(
      `${added.sort().join(', ')} ${which === 'requests' ? 'request' : 'limit'} for ${what} ${container.name}`,
    );
  }
  if (notes.length > 0) container.resources = resources;
  return notes;
}

function check(request: AdmissionRequest, { spec }: LimitRange): void {
  const problems = (spec?.limits ?? []).flatMap((item) => problemsOf(request, item));
  if (problems.length === 0) return;
  throw forbid(request, problems.length === 1 ? problems[0]! : `[${problems.join(', ')}]`);
}

function problemsOf(request: AdmissionRequest, item: LimitRangeItem): string[] {
  if (request.context.info.resource === 'persistentvolumeclaims') {
    const { spec } = request.object as PersistentVolumeClaim;
    return item.type === 'PersistentVolumeClaim' ? problemsOfClaim(item, readAmounts(spec?.resources?.requests)) : [];
  }
  const pod = request.object as Pod;
  if (item.type === 'Pod') {
    const own = withoutOverhead(pod);
    return problemsOfUse(item, podAmounts(own, 'requests'), podAmounts(own, 'limits'));
  }
  if (item.type !== 'Container') return [];
  return [...(pod.spec?.containers ?? []), ...(pod.spec?.initContainers ?? [])].flatMap(({ resources }) =>
    problemsOfUse(item, readAmounts(resources?.requests), readAmounts(resources?.limits)),
  );
}

/** Returns the pod without its overhead, which its author does not choose. */
function withoutOverhead(pod: Pod): Pod {
  const { overhead: _overhead, ...spec } = pod.spec ?? { containers: [] };
  return { ...pod, spec };
}

function problemsOfUse(
  { type, min, max, maxLimitRequestRatio }: LimitRangeItem,
  requests: Amounts,
  limits: Amounts,
): string[] {
  return [
    ...entries(min).flatMap(([name, least]) => {
      const limitText = `minimum ${name} usage per ${type} is ${least.toString()}`;
      const [request, limit] = [requests.get(name), limits.get(name)];
      if (request === undefined) return [`${limitText}.  No request is specified`];
      if (request.compare(least) < 0) return [`${limitText}, but request is ${request.toString()}`];
      return limit !== undefined && limit.compare(least) < 0 ? [`${limitText}, but limit is ${limit.toString()}`] : [];
    }),
    ...entries(max).flatMap(([name, most]) => {
      const limitText = `maximum ${name} usage per ${type} is ${most.toString()}`;
      const [request, limit] = [requests.get(name), limits.get(name)];
      if (limit === undefined) return [`${limitText}.  No limit is specified`];
      if (limit.compare(most) > 0) return [`${limitText}, but limit is ${limit.toString()}`];
      return request !== undefined && request.compare(most) > 0
        ? [`${limitText}, but request is ${request.toString()}`]
        : [];
    }),
    ...entries(maxLimitRequestRatio).flatMap(([name, ratio]) => {
      const limitText = `${name} max limit to request ratio per ${type} is ${ratio.toString()}`;
      const [request, limit] = [requests.get(name), limits.get(name)];
      if (request === undefined || request.isZero) return [`${limitText}, but no request is specified or request is 0`];
      if (limit === undefined || limit.isZero) return [`${limitText}, but no limit is specified or limit is 0`];
      const observed = limit.toNumber() / request.toNumber();
      return observed > ratio.toNumber() ? [`${limitText}, but provided ratio is ${observed.toFixed(6)}`] : [];
    }),
  ];
}

function problemsOfClaim({ type, min, max }: LimitRangeItem, requests: Amounts): string[] {
  const bound = (list: LimitRangeItem['min'], word: string, isBroken: (order: number) => boolean): string[] =>
    entries(list).flatMap(([name, enforced]) => {
      const limitText = `${word} ${name} usage per ${type} is ${enforced.toString()}`;
      const request = requests.get(name);
      if (request === undefined) return [`${limitText}.  No request is specified`];
      return isBroken(request.compare(enforced)) ? [`${limitText}, but request is ${request.toString()}`] : [];
    });
  return [...bound(min, 'minimum', (order) => order < 0), ...bound(max, 'maximum', (order) => order > 0)];
}

function entries(list: LimitRangeItem['min']) {
  return [...readAmounts(list)].sort(([a], [b]) => (a < b ? -1 : 1));
}
