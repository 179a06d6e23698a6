import type { AdmissionPlugin } from '@pintle/apiserver/admission';
import type { FollowedObjects } from '@pintle/apiserver/cache';
import type { AdmissionRequest } from '@pintle/apiserver/resource';
import type { Turns } from '@pintle/async';
import type { Container, LimitRange, LimitRangeItem, PersistentVolumeClaim, Pod } from '@pintle/kinds/core/v1';
import type { Amounts } from '@pintle/kinds/usage';
import { podAmounts, readAmounts } from '@pintle/kinds/usage';
import { requestEntityTooLargeError } from '@pintle/machinery/errors';
import { deepCopy } from '@pintle/machinery/json';
import type { Quantity } from '@pintle/machinery/quantity';
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
      const growth = new Growth();
      for (const range of (await ranges.now(request.namespace)).values()) fillIn(request.object as Pod, range, growth);
      // Resources of the whole pod may be derived from those of its containers.
      if ((request.object as Pod).spec?.resources !== undefined)
        request.context.resource.rules.default?.(request.object!);
    },
    validate: async (request) => {
      const found = await ranges.now(request.namespace);
      if (found.size === 0) return;
      const turns = request.context.yielding.sharedTurns(request.context.clock);
      const uses = usesIn(request);
      for (const range of found.values()) await check(request, range, uses, turns);
    },
  };
}

/** Defaults of a LimitRange are added to each container: they add no more bytes than an object can have. */
const MAX_ADDED_BYTES = 1536 * 1024;

class Growth {
  #bytes = 0;

  /** Throws 413 before too much was added. */
  add(names: readonly string[], values: Readonly<Record<string, string>>): void {
    for (const name of names) this.#bytes += name.length + values[name]!.length + PUNCTUATION_BYTES;
    if (this.#bytes > MAX_ADDED_BYTES) throw requestEntityTooLargeError(`limit is ${MAX_ADDED_BYTES}`);
  }
}

const PUNCTUATION_BYTES = 6;

function fillIn(pod: Pod, { spec }: LimitRange, growth: Growth): void {
  const defaults = { limits: {} as Record<string, string>, requests: {} as Record<string, string> };
  for (const item of spec?.limits ?? []) {
    if (item.type !== 'Container') continue;
    Object.assign(defaults.limits, deepCopy(item.default ?? {}));
    Object.assign(defaults.requests, deepCopy(item.defaultRequest ?? {}));
  }
  const notes = [
    ...(pod.spec?.containers ?? []).flatMap((container) => fillContainer(container, 'container', defaults, growth)),
    ...(pod.spec?.initContainers ?? []).flatMap((container) =>
      fillContainer(container, 'init container', defaults, growth),
    ),
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
  growth: Growth,
): string[] {
  const resources = { ...container.resources };
  const notes: string[] = [];
  for (const which of ['requests', 'limits'] as const) {
    const added = Object.keys(defaults[which]).filter((name) => resources[which]?.[name] === undefined);
    if (added.length === 0) continue;
    growth.add(added, defaults[which]);
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

/** Refusals beyond this number are not shown. */
const MAX_PROBLEMS = 1_000;

async function check(request: AdmissionRequest, { spec }: LimitRange, uses: Uses, turns: Turns): Promise<void> {
  const problems: string[] = [];
  for (const item of spec?.limits ?? []) {
    for (const [requests, limits] of uses.get(item.type) ?? []) {
      const turn = turns.next();
      if (turn !== undefined) await turn;
      if (problems.length < MAX_PROBLEMS) problems.push(...problemsOf(item, requests, limits));
    }
  }
  if (problems.length === 0) return;
  throw forbid(request, problems.length === 1 ? problems[0]! : `[${problems.slice(0, MAX_PROBLEMS).join(', ')}]`);
}

function problemsOf(item: LimitRangeItem, requests: Amounts, limits: Amounts): string[] {
  return item.type === CLAIM ? problemsOfClaim(item, requests) : problemsOfUse(item, requests, limits);
}

const CLAIM = 'PersistentVolumeClaim';

/** Requests and limits of what a type of LimitRange items applies to. */
type Uses = ReadonlyMap<string, readonly (readonly [requests: Amounts, limits: Amounts])[]>;

/** Reads the amounts of a pod or claim once for all LimitRanges. */
function usesIn({ context, object }: AdmissionRequest): Uses {
  if (context.info.resource === 'persistentvolumeclaims') {
    const { spec } = object as PersistentVolumeClaim;
    return new Map([[CLAIM, [[readAmounts(spec?.resources?.requests), new Map()]]]]);
  }
  const pod = object as Pod;
  const own = withoutOverhead(pod);
  const containers = [...(pod.spec?.containers ?? []), ...(pod.spec?.initContainers ?? [])];
  return new Map([
    ['Pod', [[podAmounts(own, 'requests'), podAmounts(own, 'limits')] as const]],
    [
      'Container',
      containers.map(({ resources }) => [readAmounts(resources?.requests), readAmounts(resources?.limits)] as const),
    ],
  ]);
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

/** Sorted amounts of LimitRanges, which do not change. */
const ENTRIES = new WeakMap<object, readonly (readonly [name: string, amount: Quantity])[]>();

function entries(list: LimitRangeItem['min']) {
  if (list === undefined || list === null) return [];
  const known = ENTRIES.get(list);
  if (known !== undefined) return known;
  const sorted = [...readAmounts(list)].sort(([a], [b]) => (a < b ? -1 : 1));
  ENTRIES.set(list, sorted);
  return sorted;
}
