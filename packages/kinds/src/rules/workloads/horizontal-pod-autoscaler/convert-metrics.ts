import type {
  MetricSpec,
  MetricStatus,
  MetricTarget,
  MetricValueStatus,
  CrossVersionObjectReference as Reference,
} from '../../../generated/autoscaling/v2.ts';

/** A metric in version 1: flat, each kind with its own names for the same fields. */
type Flat = Readonly<Record<string, unknown>>;

/** Specs have targets, statuses current values. Version 1 begins the names of amounts with this word. */
type Side = 'target' | 'current';

export function metricToVersion1(metric: MetricSpec): object {
  return flatten<{ readonly target: MetricTarget }>(metric, 'target', ({ target }) => target);
}

export function metricFromVersion1(metric: Flat): MetricSpec {
  return unfold(metric, 'target') as MetricSpec;
}

export function statusToVersion1(status: MetricStatus): object {
  return flatten<{ readonly current: MetricValueStatus }>(status, 'current', ({ current }) => current);
}

export function statusFromVersion1(status: Flat): MetricStatus {
  return unfold(status, 'current') as MetricStatus;
}

/** Fields that metrics and their statuses share; `S` holds the amounts. */
interface Metric<S> {
  readonly type: string;
  readonly object?: S & { readonly describedObject: Reference; readonly metric: Identifier };
  readonly pods?: S & { readonly metric: Identifier };
  readonly resource?: S & { readonly name: string };
  readonly containerResource?: S & { readonly name: string; readonly container: string };
  readonly external?: S & { readonly metric: Identifier };
}

interface Identifier {
  readonly name: string;
  readonly selector?: object;
}

type Amounts = Partial<Pick<MetricTarget & MetricValueStatus, 'value' | 'averageValue' | 'averageUtilization'>>;

function flatten<S>(metric: Metric<S>, side: Side, amountsOf: (source: S) => Amounts): object {
  const { type, object, pods, resource, containerResource, external } = metric;
  return {
    type,
    ...(object && { object: flatObject(object.describedObject, object.metric, amountsOf(object), side) }),
    ...(pods && {
      pods: {
        metricName: pods.metric.name,
        [`${side}AverageValue`]: amountsOf(pods).averageValue ?? '0',
        ...defined({ selector: pods.metric.selector }),
      },
    }),
    ...(resource && { resource: { name: resource.name, ...flatResource(amountsOf(resource), side) } }),
    ...(containerResource && {
      containerResource: {
        name: containerResource.name,
        ...flatResource(amountsOf(containerResource), side),
        container: containerResource.container,
      },
    }),
    ...(external && { external: flatExternal(external.metric, amountsOf(external), side) }),
  };
}

function flatObject(target: Reference, { name, selector }: Identifier, amounts: Amounts, side: Side): object {
  return {
    target: { kind: target.kind, name: target.name, ...defined({ apiVersion: target.apiVersion }) },
    metricName: name,
    [`${side}Value`]: amounts.value ?? '0',
    ...defined({ selector, averageValue: amounts.averageValue }),
  };
}

/** A status always has the average; a target has one or the other. */
function flatResource({ averageUtilization, averageValue }: Amounts, side: Side): object {
  const value = side === 'current' ? (averageValue ?? '0') : averageValue;
  return defined({ [`${side}AverageUtilization`]: averageUtilization, [`${side}AverageValue`]: value });
}

function flatExternal({ name, selector }: Identifier, { value, averageValue }: Amounts, side: Side): object {
  return {
    metricName: name,
    ...defined({
      metricSelector: selector,
      [`${side}Value`]: side === 'current' ? (value ?? '0') : value,
      [`${side}AverageValue`]: averageValue,
    }),
  };
}

function unfold(metric: Flat, side: Side): object {
  const source = (name: string) => metric[name] as Flat | undefined;
  const object = source('object');
  const pods = source('pods');
  const resource = source('resource');
  const containerResource = source('containerResource');
  const external = source('external');
  const average = `${side}AverageValue`;
  return {
    type: String(metric.type ?? ''),
    ...(object && {
      object: {
        describedObject: object.target,
        metric: { name: object.metricName, ...defined({ selector: object.selector }) },
        ...objectAmounts(object, side),
      },
    }),
    ...(pods && {
      pods: {
        metric: { name: pods.metricName, ...defined({ selector: pods.selector }) },
        ...amounts(side, 'AverageValue', { averageValue: pods[average] ?? '0' }),
      },
    }),
    ...(resource && { resource: { name: resource.name, ...resourceAmounts(resource, side) } }),
    ...(containerResource && {
      containerResource: {
        name: containerResource.name,
        container: containerResource.container,
        ...resourceAmounts(containerResource, side),
      },
    }),
    ...(external && {
      external: {
        metric: { name: external.metricName, ...defined({ selector: external.metricSelector }) },
        ...externalAmounts(external, side),
      },
    }),
  };
}

/** Version 1 always writes a value: a zero beside an average means that it is unset. */
function objectAmounts({ averageValue, ...source }: Flat, side: Side): object {
  const value = source[`${side}Value`] ?? '0';
  if (averageValue === undefined) return amounts(side, 'Value', { value });
  return amounts(side, 'AverageValue', { ...(value !== '0' && { value }), averageValue });
}

function resourceAmounts(source: Flat, side: Side): object {
  const averageUtilization = source[`${side}AverageUtilization`];
  const type = averageUtilization === undefined ? 'AverageValue' : 'Utilization';
  const averageValue = source[`${side}AverageValue`];
  const isLeftOut = side === 'current' && averageUtilization !== undefined && averageValue === '0';
  return amounts(side, type, { averageUtilization, ...(!isLeftOut && { averageValue }) });
}

/** For an external metric with both amounts the value wins, unlike for an object's. */
function externalAmounts(source: Flat, side: Side): object {
  const averageValue = source[`${side}AverageValue`];
  const isLeftOut = side === 'current' && averageValue !== undefined && source.currentValue === '0';
  const value = isLeftOut ? undefined : source[`${side}Value`];
  return amounts(side, value === undefined ? 'AverageValue' : 'Value', { value, averageValue });
}

/** A target has the type of its amount. */
function amounts(side: Side, type: string, fields: Flat): { [side in Side]?: object } {
  return { [side]: { ...(side === 'target' && { type }), ...defined(fields) } };
}

/** Returns only the fields that are set. */
function defined(fields: Flat): object {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}
