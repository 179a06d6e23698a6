import { describe, expect, test } from 'vitest';
import type { DaemonSet } from '../../generated/apps/v1.ts';
import type { HorizontalPodAutoscaler } from '../../generated/autoscaling/v2.ts';
import { createObject, errorsIn, readObject, updateObject } from '../testing/read-object.ts';
import { daemonSetRules } from './daemon-set.ts';
import { deploymentRules } from './deployment.ts';
import { type AnyAutoscaler, toVersion1, toVersion2 } from './horizontal-pod-autoscaler/convert.ts';
import { horizontalPodAutoscalerRules } from './horizontal-pod-autoscaler/rules.ts';
import { jobRules } from './job/rules.ts';
import { podDisruptionBudgetRules } from './pod-disruption-budget.ts';
import { replicationControllerRules } from './replication-controller.ts';
import { statefulSetRules } from './stateful-set.ts';

const template = { metadata: { labels: { app: 'a' } }, spec: { containers: [{ name: 'app', image: 'x:1' }] } };
const workload = (kind: string, fields: object = {}) => ({
  apiVersion: 'apps/v1',
  kind,
  metadata: { name: 'a' },
  spec: { selector: { matchLabels: { app: 'a' } }, template, ...fields },
});

describe('Deployment', () => {
  test('is filled in', () => {
    expect(createObject(deploymentRules, workload('Deployment'))).toMatchObject({
      spec: {
        replicas: 1,
        revisionHistoryLimit: 10,
        progressDeadlineSeconds: 600,
        strategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: '25%', maxSurge: '25%' } },
        template: { spec: { restartPolicy: 'Always', dnsPolicy: 'ClusterFirst' } },
      },
      status: {},
    });
  });

  test('takes a new annotation as a new generation, a new label not', () => {
    const deployment = createObject(deploymentRules, workload('Deployment'));
    const generationAfter = (change: object) =>
      updateObject(deploymentRules, deployment, ({ metadata }) => Object.assign(metadata, change)).next.metadata
        .generation;
    expect(generationAfter({ annotations: { n: '1' } })).toBe(2);
    expect(generationAfter({ labels: { n: '1' } })).toBe(1);
  });

  test('keeps its labels when its status is written', () => {
    const deployment = createObject(deploymentRules, workload('Deployment'));
    const write = updateObject(
      deploymentRules,
      deployment,
      (object) => {
        object.metadata.labels = { no: 'way' };
        object.status = { replicas: 1, readyReplicas: 2 };
      },
      'status',
    );
    expect(write.next.metadata.labels).toBeUndefined();
    expect(write.errors).toEqual(['status.readyReplicas: Invalid value: 2: cannot be greater than status.replicas']);
  });

  test('keeps its selector', () => {
    const deployment = createObject(deploymentRules, workload('Deployment'));
    const { errors } = updateObject(deploymentRules, deployment, ({ spec }) => {
      spec!.selector!.matchLabels!.x = 'y';
      spec!.template.metadata!.labels!.x = 'y';
    });
    expect(errors).toEqual(['spec.selector: Invalid value: {"matchLabels":{"app":"a","x":"y"}}: field is immutable']);
  });
});

describe('StatefulSet', () => {
  test('lets few fields change', () => {
    const set = createObject(statefulSetRules, workload('StatefulSet', { serviceName: 'a' }));
    expect(
      updateObject(statefulSetRules, set, ({ spec }) => Object.assign(spec!, { replicas: 3, minReadySeconds: 1 }))
        .errors,
    ).toEqual([]);
    expect(
      updateObject(statefulSetRules, set, ({ spec }) => Object.assign(spec!, { serviceName: 'b' })).errors,
    ).toEqual([
      "spec: Forbidden: updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', 'updateStrategy', 'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden",
    ]);
  });

  test('lets containers mount its claims', () => {
    const spec = { containers: [{ name: 'app', image: 'x', volumeMounts: [{ name: 'data', mountPath: '/d' }] }] };
    const claim = {
      metadata: { name: 'data' },
      spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
    };
    const set = createObject(
      statefulSetRules,
      workload('StatefulSet', { template: { ...template, spec }, volumeClaimTemplates: [claim] }),
    );
    expect(statefulSetRules.validate!(set)).toEqual([]);
    expect(set.spec!.volumeClaimTemplates![0]).toMatchObject({
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      spec: { volumeMode: 'Filesystem' },
      status: { phase: 'Pending' },
    });
  });
});

test('DaemonSet counts the changes of its template', () => {
  const set = createObject(daemonSetRules, workload('DaemonSet'));
  const counter = 'deprecated.daemonset.template.generation';
  expect(set.metadata.annotations).toEqual({ [counter]: '1' });
  const { next } = updateObject(daemonSetRules, set, ({ spec, metadata }) => {
    spec!.template.metadata!.annotations = { v: '2' };
    delete metadata.annotations;
  });
  expect(next.metadata.annotations).toEqual({ [counter]: '2' });
});

test('who writes a DaemonSet is seen to write the count, even without it', () => {
  const set: DaemonSet = workload('DaemonSet') as never;
  daemonSetRules.default?.(set);
  expect(set.metadata.annotations).toEqual({ 'deprecated.daemonset.template.generation': '0' });
});

test('annotations that once were fields say nothing where the field is', () => {
  const annotations = { 'pod.beta.kubernetes.io/init-containers': '[]', 'deprecated.deployment.rollback.to': '' };
  const spec = { template: { ...template, metadata: { ...template.metadata, annotations } } };
  const made = createObject(deploymentRules, { ...workload('Deployment', spec), metadata: { name: 'a', annotations } });
  expect(made.metadata.annotations).toEqual({ 'pod.beta.kubernetes.io/init-containers': '[]' });
  expect(made.spec?.template.metadata?.annotations).toEqual({ 'deprecated.deployment.rollback.to': '' });
  const back = { name: 'a', annotations: { 'deprecated.deployment.rollback.to': '-1' } };
  expect(errorsIn(deploymentRules.validate!({ ...made, metadata: back })).map(({ field }) => field)).toEqual([
    'spec.rollback.version',
  ]);
});

test('ReplicationController takes selector and labels from its template', () => {
  const body = { apiVersion: 'v1', kind: 'ReplicationController', metadata: { name: 'a' }, spec: { template } };
  expect(createObject(replicationControllerRules, body)).toMatchObject({
    metadata: { labels: { app: 'a' } },
    spec: { selector: { app: 'a' }, replicas: 1 },
    status: { replicas: 0 },
  });
});

describe('Job', () => {
  const job = (fields: object = {}) =>
    createObject(jobRules, {
      apiVersion: 'batch/v1',
      kind: 'Job',
      metadata: { name: 'a' },
      spec: { template: { spec: { restartPolicy: 'Never', containers: [{ name: 'app', image: 'x' }] } }, ...fields },
    });

  test('finds its Pods by its uid', () => {
    const { metadata, spec } = job();
    const { uid } = metadata;
    const labels = {
      'controller-uid': uid,
      'job-name': 'a',
      'batch.kubernetes.io/controller-uid': uid,
      'batch.kubernetes.io/job-name': 'a',
    };
    expect(spec!.selector).toEqual({ matchLabels: { 'batch.kubernetes.io/controller-uid': uid } });
    expect(spec!.template.metadata!.labels).toEqual(labels);
    expect(metadata.labels).toEqual(labels);
  });

  test.each([
    [{}, { completions: 1, parallelism: 1, backoffLimit: 6 }],
    [{ parallelism: 3 }, { parallelism: 3, completions: undefined }],
    [
      { completions: 3, completionMode: 'Indexed', backoffLimitPerIndex: 1 },
      { parallelism: 1, backoffLimit: 2147483647 },
    ],
    [{ podFailurePolicy: { rules: [] } }, { podReplacementPolicy: 'Failed' }],
  ])('%j is filled in', (fields, expected) => {
    const { spec } = job(fields);
    expect(Object.fromEntries(Object.keys(expected).map((name) => [name, spec![name as 'completions']]))).toEqual(
      expected,
    );
  });

  test('lets its Pods be placed while it is suspended, and only then', () => {
    const place = (suspend: boolean) =>
      updateObject(jobRules, job({ suspend }), ({ spec }) =>
        Object.assign(spec!.template.spec!, { nodeSelector: { a: 'b' } }),
      ).errors;
    expect(place(true)).toEqual([]);
    expect(place(false)).toHaveLength(1);
    expect(place(false)[0]).toMatch(/^spec\.template: .*field is immutable$/);
  });

  test('does not complete without a time', () => {
    const complete = (object: ReturnType<typeof job>) =>
      Object.assign(object.status!, { conditions: [{ type: 'Complete', status: 'True' }] });
    expect(updateObject(jobRules, job(), complete, 'status').errors).toEqual([
      'status.completionTime: Required value: completionTime is required for Complete jobs',
      'status.conditions: Invalid value: cannot set Complete=True condition without the SuccessCriteriaMet=true condition',
      'status.startTime: Required value: startTime is required for finished job',
    ]);
  });
});

describe('HorizontalPodAutoscaler', () => {
  const autoscaler = (fields: object = {}): HorizontalPodAutoscaler =>
    createObject(horizontalPodAutoscalerRules, {
      apiVersion: 'autoscaling/v2',
      kind: 'HorizontalPodAutoscaler',
      metadata: { name: 'a' },
      spec: { scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' }, maxReplicas: 5, ...fields },
    }) as HorizontalPodAutoscaler;
  const metrics = [
    { type: 'Resource', resource: { name: 'memory', target: { type: 'AverageValue', averageValue: '100Mi' } } },
    {
      type: 'Object',
      object: {
        describedObject: { kind: 'Service', name: 's' },
        metric: { name: 'hits' },
        target: { type: 'Value', value: '10k' },
      },
    },
    { type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 60 } } },
  ];

  test('aims at cpu unless told', () => {
    expect(autoscaler().spec).toMatchObject({
      minReplicas: 1,
      metrics: [
        { type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 80 } } },
      ],
    });
  });

  test('comes back from version 1 as it was', () => {
    const object = autoscaler({ metrics, behavior: { scaleDown: { selectPolicy: 'Disabled' } } });
    const old = toVersion1(object);
    expect(old.spec).toEqual({
      maxReplicas: 5,
      minReplicas: 1,
      scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' },
      targetCPUUtilizationPercentage: 60,
    });
    expect(JSON.parse(old.metadata.annotations!['autoscaling.alpha.kubernetes.io/metrics']!)).toEqual([
      { type: 'Resource', resource: { name: 'memory', targetAverageValue: '100Mi' } },
      { type: 'Object', object: { target: { kind: 'Service', name: 's' }, metricName: 'hits', targetValue: '10k' } },
    ]);
    expect(toVersion2(old).spec).toEqual(object.spec);
    expect(toVersion2(old).metadata.annotations).toBeUndefined();
    expect(old.status).toMatchObject({ currentReplicas: 0 });
    expect(toVersion2(old).status).not.toHaveProperty('currentReplicas');
  });

  test('keeps replicas below zero on the way from version 1, for validation to refuse', () => {
    const old = toVersion1(autoscaler({}));
    old.status = { currentReplicas: -1, desiredReplicas: 0 };
    expect(toVersion2(old).status).toMatchObject({ currentReplicas: -1 });
  });

  test('comes back from version 1 with every kind of metric', () => {
    const metric = { name: 'm', selector: { matchLabels: { a: 'b' } } };
    const describedObject = { apiVersion: 'v1', kind: 'Service', name: 's' };
    const average = { type: 'AverageValue', averageValue: '2' };
    const all = [
      { type: 'Object', object: { metric, describedObject, target: average } },
      { type: 'Object', object: { metric, describedObject, target: { ...average, value: '3' } } },
      { type: 'Pods', pods: { metric, target: average } },
      { type: 'ContainerResource', containerResource: { name: 'cpu', container: 'c', target: average } },
      { type: 'External', external: { metric, target: average } },
      { type: 'External', external: { metric, target: { type: 'Value', value: '3' } } },
    ];
    const object = autoscaler({ metrics: all });
    const old = toVersion1(object);
    expect(toVersion2(old).spec!.metrics).toEqual(all);
    expect(old.metadata.annotations!['autoscaling.alpha.kubernetes.io/metrics']).toContain(
      '{"type":"External","external":{"metricName":"m","metricSelector":{"matchLabels":{"a":"b"}},"targetValue":"3"}}',
    );
    expect(old.metadata.annotations!['autoscaling.alpha.kubernetes.io/metrics']).toContain(
      '{"target":{"kind":"Service","name":"s","apiVersion":"v1"},"metricName":"m","targetValue":"0",',
    );
  });

  test('of version 1 shows the last utilization of cpu', () => {
    const cpu = (current: object) => ({ type: 'Resource', resource: { name: 'cpu', current } });
    const currentMetrics = [
      cpu({ averageUtilization: 1, averageValue: '1' }),
      cpu({ averageUtilization: 2, averageValue: '1' }),
      cpu({ averageValue: '1' }),
    ];
    const { status } = toVersion1({ ...autoscaler(), status: { desiredReplicas: 0, currentMetrics } } as never);
    expect(status).toMatchObject({ currentCPUUtilizationPercentage: 2 });
  });

  test('of version 1 keeps its spec and its status whatever happens to the annotations that hold them', () => {
    const currentMetrics = [{ type: 'Pods', pods: { metric: { name: 'm' }, current: { averageValue: '2' } } }];
    const status = { desiredReplicas: 3, currentReplicas: 2, currentMetrics };
    const stored = { ...autoscaler({ metrics }), status } as never;
    const bare = (object: AnyAutoscaler) => ({ ...object, metadata: { ...object.metadata, annotations: { a: 'b' } } });
    const updated = bare(toVersion1(stored));
    horizontalPodAutoscalerRules.prepareForUpdate!(updated, toVersion1(stored), {} as never);
    expect(toVersion2(updated).status).toEqual(status);
    expect(toVersion2(updated).metadata.annotations).toEqual({ a: 'b' });

    const reported = bare(toVersion1(stored));
    const statusRules = horizontalPodAutoscalerRules.subresources!.status!;
    statusRules.prepareForUpdate!(reported, toVersion1(stored), {} as never);
    expect(toVersion2(reported).spec!.metrics).toEqual(metrics);
  });

  test('of version 1 that is nobody’s, as a bookmark shows it, aims at nothing', () => {
    const scaleTargetRef = { kind: '', name: '' };
    const blank = {
      apiVersion: 'autoscaling/v1',
      kind: 'HorizontalPodAutoscaler',
      metadata: {},
      spec: { scaleTargetRef },
    };
    expect(toVersion2(blank as never).spec).toEqual({ scaleTargetRef, metrics: [] });
  });

  test('shows two targets and how many more', () => {
    expect(horizontalPodAutoscalerRules.printer!.row(autoscaler({ metrics }), { nowMs: 0 }).slice(1, 6)).toEqual([
      'Deployment/web',
      'memory: <unknown>/100Mi, <unknown>/10k + 1 more...',
      '1',
      5,
      0,
    ]);
  });

  test('of version 1 is checked as what it would be in version 2', () => {
    const body = {
      apiVersion: 'autoscaling/v1',
      kind: 'HorizontalPodAutoscaler',
      metadata: { name: 'a' },
      spec: { maxReplicas: 0 },
    };
    const object = readObject<HorizontalPodAutoscaler>(body);
    expect(horizontalPodAutoscalerRules.validate!(object).map(({ field }) => field)).toEqual([
      'spec.maxReplicas',
      'spec.scaleTargetRef.kind',
      'spec.scaleTargetRef.name',
      'spec.scaleTargetRef.apiVersion',
    ]);
  });
});

test('PodDisruptionBudget wants to know which version an update means', () => {
  expect(podDisruptionBudgetRules.unconditionalUpdate).toBe(false);
});

describe('what a workload gets besides its defaults', () => {
  const job = (labels?: Record<string, string>) => ({
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { name: 'a', ...(labels && { labels }) },
    spec: { template: { ...template, spec: { ...template.spec, restartPolicy: 'Never' } } },
  });

  test("a Job's labels are its template's, and with them the labels that its Pods are found by", () => {
    const { metadata, spec } = createObject(jobRules, job());
    expect(metadata.labels).toEqual(spec?.template.metadata?.labels);
    expect(metadata.labels).toMatchObject({ app: 'a', 'job-name': 'a' });
    expect(createObject(jobRules, job({ own: 'x' })).metadata.labels).toEqual({ own: 'x' });
  });

  test("a DaemonSet's author owns the counter of its templates, which begins at nought", () => {
    const set = readObject<DaemonSet>(workload('DaemonSet'));
    daemonSetRules.default?.(set);
    expect(set.metadata.annotations).toEqual({ 'deprecated.daemonset.template.generation': '0' });
  });

  test('a lifecycle that only named a stop signal goes with it', () => {
    const containers = [
      { ...template.spec.containers[0], lifecycle: { stopSignal: 'SIGTERM' } },
      { name: 'b', image: 'x:1', lifecycle: { stopSignal: 'SIGTERM', preStop: { sleep: { seconds: 1 } } } },
    ];
    const { spec } = createObject(
      deploymentRules,
      workload('Deployment', { template: { ...template, spec: { containers } } }),
    );
    const lifecycles = spec?.template.spec?.containers.map(({ lifecycle }) => lifecycle);
    expect(lifecycles).toEqual([undefined, { preStop: { sleep: { seconds: 1 } } }]);
  });
});

test('a status in version 1 of an autoscaler also stands in an annotation, which wins from then on', () => {
  const body = {
    apiVersion: 'autoscaling/v1',
    kind: 'HorizontalPodAutoscaler',
    metadata: { name: 'a' },
    spec: { scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' }, maxReplicas: 2 },
  };
  const write = (previous: AnyAutoscaler, currentCPUUtilizationPercentage: number) =>
    updateObject(
      horizontalPodAutoscalerRules,
      previous,
      (next) =>
        Object.assign(next, { status: { desiredReplicas: 1, currentReplicas: 1, currentCPUUtilizationPercentage } }),
      'status',
    ).next;
  const first = write(createObject(horizontalPodAutoscalerRules, body), 44);
  expect(first.metadata.annotations?.['autoscaling.alpha.kubernetes.io/current-metrics']).toContain(
    '"currentAverageUtilization":44',
  );
  expect(write(first, 7).status).toMatchObject({ currentCPUUtilizationPercentage: 44 });
});

test('a ReplicationController may be named after any prefix that can stand in a path', () => {
  expect(replicationControllerRules.validateName?.('Any_', true)).toEqual([]);
  expect(replicationControllerRules.validateName?.('a/b', true)).toEqual(["may not contain '/'"]);
  expect(replicationControllerRules.validateName?.('Any_', false)).toHaveLength(1);
});

test('the name of a ReplicationController is counted in bytes', () => {
  expect(replicationControllerRules.validateName?.('x'.repeat(254), false)).toEqual(['must be no more than 253 bytes']);
});
