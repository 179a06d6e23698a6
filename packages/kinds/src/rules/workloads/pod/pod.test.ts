import { describe, expect, test } from 'vitest';
import type { Container, Pod, PodSpec, PodStatus } from '../../../generated/core/v1.ts';
import { createObject, updateObject } from '../../testing/read-object.ts';
import { podRules } from './rules.ts';
import { bindingRefusal, validateBinding, validateLogOptions } from './subresources.ts';

const app: Container = { name: 'app', image: 'registry.example/app:1' };

function pod(spec: Partial<PodSpec> = {}, metadata: object = {}): Pod {
  return createObject(podRules, {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'a', ...metadata },
    spec: { containers: [app], ...spec },
  });
}

function withStatus(status: PodStatus, spec: Partial<PodSpec> = {}): Pod {
  const object = pod(spec);
  object.status = { ...object.status, ...status };
  return object;
}

describe('a new Pod', () => {
  test('is filled in', () => {
    expect(pod().spec).toEqual({
      containers: [
        {
          ...app,
          imagePullPolicy: 'IfNotPresent',
          resources: {},
          terminationMessagePath: '/dev/termination-log',
          terminationMessagePolicy: 'File',
        },
      ],
      dnsPolicy: 'ClusterFirst',
      enableServiceLinks: true,
      restartPolicy: 'Always',
      schedulerName: 'default-scheduler',
      securityContext: {},
      terminationGracePeriodSeconds: 30,
    });
  });

  test('is pending', () => expect(pod().status).toEqual({ phase: 'Pending', qosClass: 'BestEffort' }));

  test.each([
    ['Guaranteed', 'Guaranteed'],
    ['', 'BestEffort'],
  ])('keeps of the status it is sent the class, %j, but not the phase', (qosClass, kept) => {
    const identity = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'a' } };
    const status = { phase: 'Running', qosClass };
    const made: Pod = createObject(podRules, { ...identity, spec: { containers: [app] }, status });
    expect(made.status).toEqual({ phase: 'Pending', qosClass: kept });
  });

  test('requests what it limits', () => {
    const [container] = pod({ containers: [{ ...app, resources: { limits: { cpu: '1' } } }] }).spec!.containers;
    expect(container!.resources).toEqual({ limits: { cpu: '1' }, requests: { cpu: '1' } });
  });

  test('publishes its ports in the network of its host', () => {
    const { spec } = pod({ hostNetwork: true, containers: [{ ...app, ports: [{ containerPort: 80 }] }] });
    expect(spec!.containers[0]!.ports).toEqual([{ containerPort: 80, hostPort: 80, protocol: 'TCP' }]);
  });

  test('winds down for a second when told to for less than none', () => {
    expect(pod({ terminationGracePeriodSeconds: -5 }).spec!.terminationGracePeriodSeconds).toBe(1);
  });

  test('keeps the former name of its service account beside the new one', () => {
    expect(pod({ serviceAccount: 'old' }).spec).toMatchObject({ serviceAccount: 'old', serviceAccountName: 'old' });
  });

  test('shows that it waits at its gates', () => {
    expect(pod({ schedulingGates: [{ name: 'example.com/wait' }] }).status!.conditions).toEqual([
      {
        type: 'PodScheduled',
        status: 'False',
        reason: 'SchedulingGated',
        message: 'Scheduling is blocked due to non-empty scheduling gates',
        lastProbeTime: null,
        lastTransitionTime: '2024-01-01T00:00:00Z',
      },
    ]);
  });

  test('has what an annotation says of AppArmor in the field that replaced it', () => {
    const annotations = { 'container.apparmor.security.beta.kubernetes.io/app': 'localhost/strict' };
    const object = pod({}, { annotations });
    expect(object.spec!.containers[0]!.securityContext).toEqual({
      appArmorProfile: { type: 'Localhost', localhostProfile: 'strict' },
    });
    expect(podRules.warnings!(object, undefined)).toEqual([
      'metadata.annotations[container.apparmor.security.beta.kubernetes.io/app]: deprecated since v1.30; use the "appArmorProfile" field instead',
    ]);
  });

  test('is not warned of an AppArmor annotation that says what the Pod as a whole says', () => {
    const annotations = { 'container.apparmor.security.beta.kubernetes.io/app': 'unconfined' };
    const object = pod({ securityContext: { appArmorProfile: { type: 'Unconfined' } } }, { annotations });
    expect(podRules.warnings!(object, undefined)).toEqual([]);
  });

  test('puts the labels behind matchLabelKeys into the selector', () => {
    const constraint = {
      maxSkew: 1,
      topologyKey: 'zone',
      whenUnsatisfiable: 'DoNotSchedule' as const,
      labelSelector: {},
      matchLabelKeys: ['v', 'absent'],
    };
    const { spec } = pod({ topologySpreadConstraints: [constraint] }, { labels: { v: '1' } });
    expect(spec!.topologySpreadConstraints![0]!.labelSelector).toEqual({
      matchExpressions: [{ key: 'v', operator: 'In', values: ['1'] }],
    });
  });
});

describe('the class of service', () => {
  const both = { limits: { cpu: '1', memory: '1Gi' }, requests: { cpu: '1000m', memory: '1Gi' } };
  test.each([
    ['BestEffort', [{}]],
    ['Guaranteed', [both]],
    ['Guaranteed', [{ limits: both.limits }]],
    ['Burstable', [{ limits: { cpu: '1' } }]],
    ['Burstable', [both, {}]],
    ['Burstable', [{ ...both, requests: { cpu: '1', memory: '5M' } }]],
    ['BestEffort', [{ requests: { cpu: '0' } }]],
  ])('%s', (expected, resources) => {
    const containers = resources.map((one, index) => ({ ...app, name: `c${index}`, resources: one }));
    expect(pod({ containers }).status!.qosClass).toBe(expected);
  });

  test('follows what the Pod asks for as a whole', () => {
    expect(pod({ resources: both }).status!.qosClass).toBe('Guaranteed');
  });
});

describe('an update', () => {
  const before = () => pod({ tolerations: [{ key: 'x', operator: 'Exists' }], activeDeadlineSeconds: 60 });
  const refusal =
    'spec: Forbidden: pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)';
  const cases: [what: string, change: (spec: PodSpec) => void, errors: string[]][] = [
    ['image', (spec) => Object.assign(spec.containers[0]!, { image: 'b' }), []],
    ['shorter deadline', (spec) => Object.assign(spec, { activeDeadlineSeconds: 5 }), []],
    [
      'longer deadline',
      (spec) => Object.assign(spec, { activeDeadlineSeconds: 90 }),
      ['spec.activeDeadlineSeconds: Invalid value: 90: must be less than or equal to previous value'],
    ],
    ['more tolerations', (spec) => spec.tolerations!.push({ key: 'y', operator: 'Exists' }), []],
    [
      'fewer tolerations',
      (spec) => delete spec.tolerations,
      ['spec.tolerations: Forbidden: existing toleration can not be modified except its tolerationSeconds'],
    ],
    ['environment', (spec) => Object.assign(spec.containers[0]!, { env: [{ name: 'A' }] }), [refusal]],
    ['node', (spec) => Object.assign(spec, { nodeName: 'n' }), [refusal]],
    ['node selector', (spec) => Object.assign(spec, { nodeSelector: { a: 'b' } }), [refusal]],
    [
      'containers',
      (spec) => spec.containers.push({ name: 'b', image: 'x' }),
      ['spec.containers: Forbidden: pod updates may not add or remove containers'],
    ],
    [
      'empty image',
      (spec) => Object.assign(spec.containers[0]!, { image: '' }),
      ['spec.containers[0].image: Required value', 'spec.containers[0].image: Required value'],
    ],
  ];
  test.each(cases)('%s', (_what, change, errors) => {
    expect(updateObject(podRules, before(), ({ spec }) => change(spec!)).errors).toEqual(errors);
  });

  test('keeps the status', () => {
    const { next } = updateObject(podRules, before(), (object) =>
      Object.assign(object, { status: { phase: 'Running' } }),
    );
    expect(next.status!.phase).toBe('Pending');
  });

  test('may narrow where a Pod at its gates can run', () => {
    const gated = pod({ schedulingGates: [{ name: 'example.com/w' }], nodeSelector: { a: '1' } });
    const select = (nodeSelector: Record<string, string>) =>
      updateObject(podRules, gated, ({ spec }) => Object.assign(spec!, { nodeSelector })).errors;
    expect(select({ a: '1', b: '2' })).toEqual([]);
    expect(select({ a: '9' })).toEqual([
      'spec.nodeSelector: Invalid value: {"a":"9"}: only additions to spec.nodeSelector are allowed (no mutations or deletions)',
    ]);
  });

  test('may open gates but not add any', () => {
    const gated = pod({ schedulingGates: [{ name: 'example.com/w' }] });
    expect(updateObject(podRules, gated, ({ spec }) => delete spec!.schedulingGates).errors).toEqual([]);
    expect(
      updateObject(podRules, gated, ({ spec }) => spec!.schedulingGates!.push({ name: 'example.com/v' })).errors,
    ).toEqual([
      "spec.schedulingGates[1].name: Forbidden: only deletion is allowed, but found new scheduling gate 'example.com/v'",
    ]);
  });
});

describe('a status', () => {
  test('keeps spec and class of service, and fills in the list of addresses', () => {
    const { next, errors } = updateObject(
      podRules,
      pod(),
      (object) => {
        object.spec!.activeDeadlineSeconds = 5;
        object.status = { phase: 'Running', podIP: '10.1.2.3' };
      },
      'status',
    );
    expect(errors).toEqual([]);
    expect(next.spec!.activeDeadlineSeconds).toBeUndefined();
    expect(next.status).toEqual({
      phase: 'Running',
      podIP: '10.1.2.3',
      podIPs: [{ ip: '10.1.2.3' }],
      qosClass: 'BestEffort',
    });
  });

  test.each([
    [
      { podIP: 'nope' },
      'status.podIPs[0]: Invalid value: "nope": must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)',
    ],
    [
      { podIPs: [{ ip: '10.0.0.1' }, { ip: '10.0.0.2' }] },
      'status.podIPs: Invalid value: [{"IP":"10.0.0.1"},{"IP":"10.0.0.2"}]: may specify no more than one IP for each IP family',
    ],
    [{ qosClass: 'Guaranteed' as const }, 'status.qosClass: Invalid value: "Guaranteed": field is immutable'],
  ])('%j is refused', (status, error) => {
    const change = (object: Pod) => Object.assign(object.status!, status);
    expect(updateObject(podRules, pod(), change, 'status').errors).toEqual([error]);
  });

  test('does not raise the dead', () => {
    const ended = (restartPolicy: 'Always' | 'Never') =>
      withStatus({ containerStatuses: [statusOf({ terminated: { exitCode: 1 } })] }, { restartPolicy });
    const revive = (object: Pod) => Object.assign(object.status!, { containerStatuses: [statusOf({ running: {} })] });
    expect(updateObject(podRules, ended('Always'), revive, 'status').errors).toEqual([]);
    expect(updateObject(podRules, ended('Never'), revive, 'status').errors).toEqual([
      'status.containerStatuses[0].state: Forbidden: may not be transitioned to non-terminated state',
    ]);
  });
});

describe('ephemeral containers', () => {
  const debug = { name: 'debug', image: 'tools' };
  const add = (object: Pod, ...containers: object[]) =>
    updateObject(
      podRules,
      object,
      ({ spec }) => Object.assign(spec!, { ephemeralContainers: containers }),
      'ephemeralcontainers',
    );

  test('can be added, with defaults, and change nothing else', () => {
    const { next, errors } = updateObject(
      podRules,
      pod(),
      ({ spec }) => Object.assign(spec!, { ephemeralContainers: [{ ...debug }], activeDeadlineSeconds: 5 }),
      'ephemeralcontainers',
    );
    expect(errors).toEqual([]);
    expect(next.spec!.activeDeadlineSeconds).toBeUndefined();
    expect(next.spec!.ephemeralContainers![0]).toMatchObject({ imagePullPolicy: 'Always', resources: {} });
  });

  test('stay as they are', () => {
    const { next: running } = add(pod(), debug);
    const path = 'spec.ephemeralContainers: Forbidden: existing ephemeral containers "debug"';
    expect(add(running).errors).toEqual([`${path} may not be removed`]);
    expect(add(running, { ...debug, image: 'other' }).errors).toEqual([`${path} may not be changed`]);
  });

  test('have no ports, no resources and no name that is taken', () => {
    const resources = { limits: { cpu: '1' } };
    expect(
      add(pod(), { ...debug, name: 'app', ports: [{ containerPort: 1 }], resources, targetContainerName: 'x' }).errors,
    ).toEqual([
      'spec.ephemeralContainers[0].name: Duplicate value: "app"',
      'spec.ephemeralContainers[0].targetContainerName: Not found: "x"',
      'spec.ephemeralContainers[0].ports: Forbidden: cannot be set for an Ephemeral Container',
      'spec.ephemeralContainers[0].resources: Forbidden: cannot be set for an Ephemeral Container',
    ]);
  });
});

describe('a resize', () => {
  const sized = () =>
    pod({
      containers: [
        { ...app, resources: { requests: { cpu: '100m', memory: '64Mi' }, limits: { cpu: '200m', memory: '128Mi' } } },
      ],
    });
  const resize = (object: Pod, change: (container: Container) => void) =>
    updateObject(podRules, object, ({ spec }) => change(spec!.containers[0]!), 'resize');

  test('may change cpu and memory, and ignores the rest', () => {
    const { next, errors } = resize(sized(), (container) => {
      container.image = 'other';
      container.resources!.limits!.cpu = '300m';
    });
    expect(errors).toEqual([]);
    expect(next.spec!.containers[0]).toMatchObject({ image: app.image, resources: { limits: { cpu: '300m' } } });
  });

  const cases: [what: string, change: (container: Container) => void, errors: string[]][] = [
    [
      'another class of service',
      (container) => Object.assign(container.resources!, { requests: { cpu: '200m', memory: '128Mi' } }),
      ['spec: Invalid value: "Burstable": Pod QOS Class may not change as a result of resizing'],
    ],
    [
      'other resources',
      (container) => Object.assign(container.resources!.limits!, { 'ephemeral-storage': '1Gi' }),
      ['spec: Forbidden: only cpu and memory resources are mutable'],
    ],
    [
      'a limit less',
      (container) => delete container.resources!.limits!.memory,
      ['spec.containers[0].resources.limits: Forbidden: resource limits cannot be removed'],
    ],
  ];
  test.each(cases)('%s is refused', (_what, change, errors) => expect(resize(sized(), change).errors).toEqual(errors));
});

describe('deletion leaves time', () => {
  const bound = pod({ nodeName: 'n', terminationGracePeriodSeconds: 7 });
  test.each([
    ['as the spec says', bound, undefined, 7],
    ['as the request says', bound, 3, 3],
    ['one second for less than none', bound, -1, 1],
    ['none before a node has it', pod(), 9, 0],
    ['none after its end', { ...bound, status: { phase: 'Failed' as const } }, 9, 0],
  ])('%s', (_what, object, requested, expected) => {
    expect(podRules.graceSeconds!(object, requested)).toBe(expected);
  });
});

describe('a binding', () => {
  test('names a node', () => {
    expect(validateBinding({ target: { kind: 'Node', name: 'n' } })).toEqual([]);
    expect(validateBinding({ target: { kind: 'Pod' } }).map(({ field }) => field)).toEqual([
      'target.kind',
      'target.name',
    ]);
  });

  test('is refused by a Pod that has a node or waits', () => {
    expect(bindingRefusal(pod())).toBeUndefined();
    expect(bindingRefusal(pod({ nodeName: 'n' }))).toBe('pod a is already assigned to node "n"');
    expect(bindingRefusal(pod({ schedulingGates: [{ name: 'x/y' }] }))).toBe(
      'pod a has non-empty .spec.schedulingGates',
    );
  });
});

test('options of a log are checked', () => {
  expect(validateLogOptions({ tailLines: -1, sinceSeconds: 0 }).map(({ field }) => field)).toEqual([
    'tailLines',
    'sinceSeconds',
  ]);
  const both = { sinceSeconds: 1, sinceTime: '2024-01-01T00:00:00Z', stream: 'All' };
  expect(validateLogOptions(both).map(({ field }) => field)).toEqual(['[]', 'stream']);
});

describe('kubectl get pods', () => {
  const side = { ...app, name: 'side', restartPolicy: 'Always' };
  const init = { ...app, name: 'setup' };
  const crash = statusOf(
    { waiting: { reason: 'CrashLoopBackOff' } },
    { restartCount: 4, lastState: { terminated: { exitCode: 1, finishedAt: '2024-01-01T00:00:00Z' } } },
  );
  const ready = statusOf({ running: {} }, { ready: true });
  const cases: [status: PodStatus, spec: Partial<PodSpec>, cells: string][] = [
    [{}, {}, '0/1 Pending 0'],
    [{ phase: 'Running', containerStatuses: [crash] }, {}, '0/1 CrashLoopBackOff 4 (60m ago)'],
    [
      {
        conditions: [{ type: 'Initialized', status: 'True' }],
        initContainerStatuses: [
          statusOf({ running: {} }, { name: 'setup', restartCount: 5 }),
          statusOf({ running: {} }, { name: 'side', restartCount: 7 }),
        ],
        containerStatuses: [statusOf({ running: {} }, { ready: true, restartCount: 1 })],
      },
      { initContainers: [init, side] },
      '1/2 Init:0/2 1',
    ],
    [
      { phase: 'Succeeded', containerStatuses: [statusOf({ terminated: { exitCode: 0, reason: 'Completed' } })] },
      {},
      '0/1 Completed 0',
    ],
    [{ phase: 'Failed', containerStatuses: [statusOf({ terminated: { exitCode: 3 } })] }, {}, '0/1 ExitCode:3 0'],
    [
      { phase: 'Running', containerStatuses: [statusOf({ terminated: { exitCode: 137, signal: 9 } })] },
      {},
      '0/1 Signal:9 0',
    ],
    [{ phase: 'Failed', reason: 'Evicted' }, {}, '0/1 Evicted 0'],
    [{ phase: 'Running', containerStatuses: [ready] }, {}, '1/1 Running 0'],
    [
      { initContainerStatuses: [statusOf({ running: {} }, { name: 'setup' })] },
      { initContainers: [init] },
      '0/1 Init:0/1 0',
    ],
    [
      { initContainerStatuses: [statusOf({ terminated: { exitCode: 2 } }, { name: 'setup' })] },
      { initContainers: [init] },
      '0/1 Init:ExitCode:2 0',
    ],
    [
      {
        phase: 'Running',
        initContainerStatuses: [
          statusOf({ running: {} }, { name: 'side', started: true, ready: true, restartCount: 2 }),
        ],
        containerStatuses: [ready],
      },
      { initContainers: [side] },
      '2/2 Running 2',
    ],
    [{}, { schedulingGates: [{ name: 'x/y' }] }, '0/1 SchedulingGated 0'],
  ];
  test.each(cases)('%j', (status, spec, cells) => {
    const row = podRules.printer!.row(withStatus(status, spec), { nowMs: Date.parse('2024-01-01T01:00:00Z') });
    expect(row.slice(1, 4).join(' ')).toBe(cells);
  });

  test('says what goes', () => {
    const going = pod({}, { deletionTimestamp: '2024-01-01T00:00:00Z' });
    expect(podRules.printer!.row(going, { nowMs: 0 })[2]).toBe('Terminating');
    going.status!.reason = 'NodeLost';
    expect(podRules.printer!.row(going, { nowMs: 0 })[2]).toBe('Unknown');
  });
});

function statusOf(state: object, more: object = {}) {
  return { name: 'app', image: 'x', imageID: '', ready: false, restartCount: 0, state, ...more };
}

test('the row of a Pod that has run its course says so', () => {
  const conditions = (phase: NonNullable<PodStatus['phase']>) => podRules.printer!.conditions!(withStatus({ phase }));
  expect(conditions('Running')).toEqual([]);
  expect(conditions('Succeeded')).toMatchObject([{ type: 'Completed', status: 'True', reason: 'Succeeded' }]);
  expect(conditions('Failed')).toMatchObject([{ type: 'Completed', message: 'The pod failed.' }]);
});
