import type { MetricSpec, MetricStatus, MetricTarget, MetricValueStatus } from '../../../generated/autoscaling/v2.ts';

/** A metric as version 1 wrote it: flat, each kind with names of its own for the same things. */
type Flat = Readonly<Record<string, unknown>>;

export function metricToVersion1(metric: MetricSpec): object {
  const { type, object, pods, resource, containerResource, external } = metric;
  return {
    type,
    ...(object && {
      object: {
        target: object.describedObject,
        metricName: object.metric.name,
        targetValue: object.target.value ?? '0',
        ...defined({ selector: object.metric.selector, averageValue: object.target.averageValue }),
      },
    }),
    ...(pods && {
      pods: {
        metricName: pods.metric.name,
        targetAverageValue: pods.target.averageValue ?? '0',
        ...defined({ selector: pods.metric.selector }),
      },
    }),
    ...(resource && { resource: { name: resource.name, ...flatTarget(resource.target) } }),
    ...(containerResource && {
      containerResource: {
        name: containerResource.name,
        ...flatTarget(containerResource.target),
        container: containerResource.container,
      },
    }),
    ...(external && {
      external: {
        metricName: external.metric.name,
        ...defined({
          metricSelector: external.metric.selector,
          targetValue: external.target.value,
          targetAverageValue: external.target.averageValue,
        }),
      },
    }),
  };
}

export function metricFromVersion1(metric: Flat): MetricSpec {
  const source = (name: string) => metric[name] as Flat | undefined;
  const object = source('object');
  const pods = source('pods');
  const resource = source('resource');
  const containerResource = source('containerResource');
  const external = source('external');
  return {
    type: String(metric.type ?? ''),
    ...(object && {
      object: {
        describedObject: object.target,
        metric: { name: object.metricName, ...defined({ selector: object.selector }) },
        target:
          object.averageValue === undefined
            ? { type: 'Value', value: object.targetValue }
            : { type: 'AverageValue', value: object.targetValue, averageValue: object.averageValue },
      },
    }),
    ...(pods && {
      pods: {
        metric: { name: pods.metricName, ...defined({ selector: pods.selector }) },
        target: { type: 'AverageValue', averageValue: pods.targetAverageValue },
      },
    }),
    ...(resource && { resource: { name: resource.name, target: readTarget(resource) } }),
    ...(containerResource && {
      containerResource: {
        name: containerResource.name,
        container: containerResource.container,
        target: readTarget(containerResource),
      },
    }),
    ...(external && {
      external: {
        metric: { name: external.metricName, ...defined({ selector: external.metricSelector }) },
        target: {
          type: external.targetAverageValue === undefined ? 'Value' : 'AverageValue',
          ...defined({ value: external.targetValue, averageValue: external.targetAverageValue }),
        },
      },
    }),
  } as MetricSpec;
}

export function statusToVersion1(status: MetricStatus): object {
  const { type, object, pods, resource, containerResource, external } = status;
  return {
    type,
    ...(object && {
      object: {
        target: object.describedObject,
        metricName: object.metric.name,
        currentValue: object.current.value ?? '0',
        ...defined({ selector: object.metric.selector, averageValue: object.current.averageValue }),
      },
    }),
    ...(pods && {
      pods: {
        metricName: pods.metric.name,
        currentAverageValue: pods.current.averageValue ?? '0',
        ...defined({ selector: pods.metric.selector }),
      },
    }),
    ...(resource && { resource: { name: resource.name, ...flatCurrent(resource.current) } }),
    ...(containerResource && {
      containerResource: {
        name: containerResource.name,
        ...flatCurrent(containerResource.current),
        container: containerResource.container,
      },
    }),
    ...(external && {
      external: {
        metricName: external.metric.name,
        currentValue: external.current.value ?? '0',
        ...defined({ metricSelector: external.metric.selector, currentAverageValue: external.current.averageValue }),
      },
    }),
  };
}

export function statusFromVersion1(status: Flat): MetricStatus {
  const source = (name: string) => status[name] as Flat | undefined;
  const object = source('object');
  const pods = source('pods');
  const resource = source('resource');
  const containerResource = source('containerResource');
  const external = source('external');
  return {
    type: String(status.type ?? ''),
    ...(object && {
      object: {
        describedObject: object.target,
        metric: { name: object.metricName, ...defined({ selector: object.selector }) },
        current: defined({ value: object.currentValue, averageValue: object.averageValue }),
      },
    }),
    ...(pods && {
      pods: {
        metric: { name: pods.metricName, ...defined({ selector: pods.selector }) },
        current: defined({ averageValue: pods.currentAverageValue }),
      },
    }),
    ...(resource && { resource: { name: resource.name, current: readCurrent(resource) } }),
    ...(containerResource && {
      containerResource: {
        name: containerResource.name,
        container: containerResource.container,
        current: readCurrent(containerResource),
      },
    }),
    ...(external && {
      external: {
        metric: { name: external.metricName, ...defined({ selector: external.metricSelector }) },
        current: defined({ value: external.currentValue, averageValue: external.currentAverageValue }),
      },
    }),
  } as MetricStatus;
}

function flatTarget({ averageUtilization, averageValue }: MetricTarget): object {
  return defined({ targetAverageUtilization: averageUtilization, targetAverageValue: averageValue });
}

function readTarget({ targetAverageUtilization, targetAverageValue }: Flat): object {
  return {
    type: targetAverageUtilization === undefined ? 'AverageValue' : 'Utilization',
    ...defined({ averageUtilization: targetAverageUtilization, averageValue: targetAverageValue }),
  };
}

function flatCurrent({ averageUtilization, averageValue }: MetricValueStatus): object {
  return { ...defined({ currentAverageUtilization: averageUtilization }), currentAverageValue: averageValue ?? '0' };
}

function readCurrent({ currentAverageUtilization, currentAverageValue }: Flat): object {
  return defined({ averageUtilization: currentAverageUtilization, averageValue: currentAverageValue });
}

/** Only what is there. */
function defined(fields: Flat): object {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}
