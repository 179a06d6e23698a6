import { describe, expect, test } from 'vitest';
import { openHooked, patchOf } from '../../testing/admission-hook.ts';
import { openTestApi, type TestApi } from '../../testing/test-api.ts';

const scalers = (version: string) => `/apis/autoscaling/${version}/namespaces/default/horizontalpodautoscalers`;
const metric = (name: string, averageUtilization: number) => ({
  type: 'Resource',
  resource: { name, target: { type: 'Utilization', averageUtilization } },
});
const memory = metric('memory', 9);
const behavior = { scaleUp: { stabilizationWindowSeconds: 3 } };

function scaler(version: string, spec: object = {}) {
  const scaleTargetRef = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' };
  return {
    apiVersion: `autoscaling/${version}`,
    kind: 'HorizontalPodAutoscaler',
    metadata: { name: 'a' },
    spec: { scaleTargetRef, maxReplicas: 5, ...spec },
  };
}

async function specIn(api: TestApi, version: string): Promise<unknown> {
  return (await api.get(`${scalers(version)}/a`)).body.spec;
}

describe('a built-in object that holds more than a version can show', () => {
  test('is patched in that version without losing it', async () => {
    await using api = await openTestApi();
    await api.post(scalers('v2'), scaler('v2', { metrics: [memory], behavior }));
    const { body } = await api.merge(`${scalers('v1')}/a`, { spec: { maxReplicas: 6 } });
    expect(body.metadata.annotations).toHaveProperty(['autoscaling.alpha.kubernetes.io/metrics']);
    expect(await specIn(api, 'v2')).toMatchObject({ maxReplicas: 6, metrics: [memory], behavior });
  });

  test('keeps its spec when a status of that version comes without the annotations', async () => {
    await using api = await openTestApi();
    await api.post(scalers('v2'), scaler('v2', { metrics: [memory], behavior }));
    const status = { currentReplicas: 2, desiredReplicas: 3, currentCPUUtilizationPercentage: 12 };
    await api.merge(`${scalers('v1')}/a/status`, { metadata: { annotations: null }, status });
    expect(await api.get(`${scalers('v2')}/a`)).toMatchObject({
      body: {
        spec: { metrics: [memory], behavior },
        status: { currentReplicas: 2, currentMetrics: [{ resource: { current: { averageUtilization: 12 } } }] },
      },
    });
  });

  test('keeps its status when it is replaced in that version without the annotations', async () => {
    await using api = await openTestApi();
    await api.post(scalers('v2'), scaler('v2', { metrics: [memory] }));
    const pods = { type: 'Pods', pods: { metric: { name: 'm' }, current: { averageValue: '2' } } };
    const conditions = [{ type: 'AbleToScale', status: 'True', reason: 'R', message: 'm' }];
    const status = { desiredReplicas: 3, currentMetrics: [pods], conditions };
    await api.merge(`${scalers('v2')}/a/status`, { status });
    await api.put(`${scalers('v1')}/a`, scaler('v1', { targetCPUUtilizationPercentage: 7 }));
    expect(await api.get(`${scalers('v2')}/a`)).toMatchObject({
      body: {
        spec: { metrics: [metric('cpu', 7)] },
        status: { currentMetrics: [pods], conditions: [{ reason: 'R' }] },
      },
    });
  });

  test.each(['', '?dryRun=All'])(
    'shows the defaults that it is stored with when annotations hold it (%s)',
    async (query) => {
      await using api = await openTestApi();
      await api.post(scalers('v1'), scaler('v1'));
      const annotations = {
        'autoscaling.alpha.kubernetes.io/behavior':
          '{"ScaleUp":{"Policies":[{"Type":"Pods","Value":1,"PeriodSeconds":15}]}}',
      };
      const { body } = await api.merge(`${scalers('v1')}/a${query}`, { metadata: { annotations } });
      const shown = body.metadata.annotations!['autoscaling.alpha.kubernetes.io/behavior']!;
      expect(JSON.parse(shown)).toMatchObject({
        ScaleUp: { StabilizationWindowSeconds: 0, SelectPolicy: 'Max', Policies: [{ Value: 1 }] },
        ScaleDown: { SelectPolicy: 'Max', Policies: [{ Type: 'Percent', Value: 100 }] },
      });
    },
  );

  test('gives the annotation of current metrics to who sends a utilization of cpu without it', async () => {
    await using api = await openTestApi();
    const cpu = { type: 'Resource', resource: { name: 'cpu', current: { averageUtilization: 12, averageValue: '1' } } };
    await api.post(scalers('v2'), scaler('v2'));
    await api.merge(`${scalers('v2')}/a/status`, { status: { desiredReplicas: 3, currentMetrics: [cpu] } });
    const { body } = await api.get(`${scalers('v1')}/a`);
    delete body.metadata.annotations;
    const replaced = await api.put(`${scalers('v1')}/a`, body);
    const fields = replaced.body.metadata.managedFields!.map(({ fieldsV1 }) => fieldsV1);
    expect(fields).toContainEqual(
      expect.objectContaining({
        'f:metadata': { 'f:annotations': { 'f:autoscaling.alpha.kubernetes.io/current-metrics': {} } },
      }),
    );
  });
});

describe('a patch whose result names another version of the resource', () => {
  test('is read by that version, and answered in the version of the URL', async () => {
    await using api = await openTestApi();
    await api.post(scalers('v1'), scaler('v1'));
    const named = await api.merge(`${scalers('v1')}/a`, {
      apiVersion: 'autoscaling/v2',
      spec: { metrics: [memory], behavior },
    });
    expect(named).toMatchObject({
      status: 200,
      body: { apiVersion: 'autoscaling/v1' },
      warnings: ['299 - "unknown field \\"spec.targetCPUUtilizationPercentage\\""'],
    });
    expect(await specIn(api, 'v2')).toMatchObject({
      metrics: [memory],
      behavior: { ...behavior, scaleDown: { selectPolicy: 'Max' } },
    });

    const back = await api.merge(`${scalers('v2')}/a`, {
      apiVersion: 'autoscaling/v1',
      spec: { metrics: null, targetCPUUtilizationPercentage: 7 },
    });
    expect(back).toMatchObject({ status: 200, body: { apiVersion: 'autoscaling/v2' } });
    expect(await specIn(api, 'v2')).toMatchObject({ metrics: [metric('cpu', 7)] });
  });

  test('is refused when the version is none of the resource', async () => {
    await using api = await openTestApi();
    await api.post(scalers('v1'), scaler('v1'));
    for (const other of [{ apiVersion: 'apps/v1' }, { apiVersion: 'autoscaling/v9' }, { kind: 'Scale' }]) {
      expect(await api.merge(`${scalers('v1')}/a`, other)).toMatchObject({ status: 422 });
    }
  });

  test('does not make other writes take that version', async () => {
    await using api = await openTestApi();
    const message =
      'the API version in the data (autoscaling/v2) does not match the expected API version (autoscaling/v1)';
    const refused = { status: 400, body: { message } };
    expect(await api.post(scalers('v1'), scaler('v2'))).toMatchObject(refused);
    await api.post(scalers('v1'), scaler('v1'));
    expect(await api.put(`${scalers('v1')}/a`, scaler('v2'))).toMatchObject(refused);
  });
});

describe('a webhook that matches an equivalent version', () => {
  const rules = [
    { apiGroups: ['autoscaling'], apiVersions: ['v1'], operations: ['*'], resources: ['horizontalpodautoscalers'] },
  ];

  test('sees the object as that version has it, and what it changes there does not lose the rest', async () => {
    const target = { op: 'add', path: '/spec/targetCPUUtilizationPercentage', value: 44 };
    await using hooked = await openHooked(() => patchOf(target));
    await hooked.register('Mutating', 'aims', { rules });
    await hooked.api.post(scalers('v2'), scaler('v2', { metrics: [memory], behavior }));
    expect(hooked.hook.calls[0]!.request).toMatchObject({
      kind: { version: 'v1' },
      requestKind: { version: 'v2' },
      object: { apiVersion: 'autoscaling/v1', metadata: { annotations: expect.any(Object) } },
    });
    expect(await specIn(hooked.api, 'v2')).toMatchObject({ metrics: [memory, metric('cpu', 44)], behavior });
  });

  test('may make it an object of another version of the resource', async () => {
    await using hooked = await openHooked(() =>
      patchOf(
        { op: 'replace', path: '/apiVersion', value: 'autoscaling/v2' },
        { op: 'add', path: '/spec/metrics', value: [memory] },
      ),
    );
    await hooked.register('Mutating', 'renames', { rules });
    expect(await hooked.api.post(scalers('v1'), scaler('v1'))).toMatchObject({
      status: 201,
      body: { apiVersion: 'autoscaling/v1' },
    });
    expect(await specIn(hooked.api, 'v2')).toMatchObject({ metrics: [memory] });
  });
});
