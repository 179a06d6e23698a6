import { expect, test } from 'vitest';
import type { PodSpec } from '../../../../generated/core/v1.ts';
import { podWarnings } from './warnings.ts';

const app = { name: 'app', image: 'x' };
const tcp = { containerPort: 80, protocol: 'TCP' as const };
const keyed = (...paths: string[]) => ({ name: 'c', items: paths.map((path) => ({ key: 'k', path })) });

const cases: [spec: Partial<PodSpec>, warnings: string[]][] = [
  [{}, []],
  [
    {
      containers: [
        {
          ...app,
          env: [
            { name: 'A', value: '1' },
            { name: 'A', value: 'x$(A)' },
          ],
        },
      ],
    },
    [],
  ],
  [
    {
      containers: [
        {
          ...app,
          env: [
            { name: 'A', value: '1' },
            { name: 'A', value: '2' },
          ],
        },
      ],
    },
    ['spec.containers[0].env[1]: hides previous definition of "A", which may be dropped when using apply'],
  ],
  [
    { containers: [{ ...app, ports: [tcp, { ...tcp, hostPort: 8080 }] }] },
    ['spec.containers[0].ports[1]: overlapping port definition with spec.containers[0].ports[0]'],
  ],
  [
    { containers: [{ ...app, ports: [{ ...tcp, hostIP: '10.0.0.1' }] }] },
    [
      'spec.containers[0].ports[0]: hostIP set without hostPort: {Name: HostPort:0 ContainerPort:80 Protocol:TCP HostIP:10.0.0.1}',
    ],
  ],
  [
    { volumes: [{ name: 'v', configMap: keyed('a', 'a/b') }] },
    ['volume "v" (ConfigMap "c"): overlapping paths: "a/b" with "a"'],
  ],
  [
    { volumes: [{ name: 'v', projected: { sources: [{ configMap: keyed('a') }, { secret: keyed('a/b') }, {}] } }] },
    [
      'volume "v" (Projected) has no sources provided',
      'volume "v" (Projected): overlapping paths: "a/b" (Secret "c") with "a" (ConfigMap "c")',
    ],
  ],
  [
    {
      topologySpreadConstraints: [
        { maxSkew: 1, topologyKey: 'beta.kubernetes.io/os', whenUnsatisfiable: 'DoNotSchedule' },
      ],
    },
    [
      'spec.topologySpreadConstraints[0].topologyKey: beta.kubernetes.io/os is deprecated since v1.14; use "kubernetes.io/os" instead',
      'spec.topologySpreadConstraints[0].labelSelector: a null labelSelector results in matching no pod',
    ],
  ],
  [
    { dnsConfig: { nameservers: ['2001:DB8::1'] } },
    [
      'spec.dnsConfig.nameservers[0]: IPv6 address "2001:DB8::1" should be in RFC 5952 canonical format ("2001:db8::1")',
    ],
  ],
];

test.each(cases)('%j', (spec, warnings) => {
  expect(podWarnings({ containers: [app], ...spec }, {})).toEqual(warnings);
});

test('what is repeated thousands of times is not told of each with each', () => {
  const ports = Array.from({ length: 3_000 }, () => tcp);
  const volumes = [{ name: 'v', configMap: keyed(...Array.from({ length: 3_000 }, () => 'a')) }];
  expect(podWarnings({ containers: [{ ...app, ports }], volumes } as PodSpec, {}).length).toBeLessThan(10_000);
});

test('paths lie in the way of others in the order in which they are written', () => {
  const volumes = [{ name: 'v', configMap: keyed('a/b/c', 'a-b', 'a', 'a/b', 'b', 'a/b/c') }];
  const overlaps = podWarnings({ containers: [app], volumes } as PodSpec, {})
    .map((warning) => /overlapping paths: (.*)/.exec(warning)?.[1])
    .filter((pair) => pair !== undefined);
  expect(overlaps).toEqual([
    '"a" with "a/b/c"',
    '"a/b" with "a/b/c"',
    '"a/b" with "a"',
    '"a/b/c" with "a/b/c"',
    '"a/b/c" with "a"',
    '"a/b/c" with "a/b"',
  ]);
});

test('ports are in the way of those on the same port of the host, and of those on none', () => {
  const on = (hostPort: number, hostIP: string) => ({ ...tcp, hostPort, hostIP });
  const ports = [on(1, ''), on(2, '10.0.0.1'), on(2, '10.0.0.2'), on(2, ''), on(2, '10.0.0.1'), tcp];
  const clashes = podWarnings({ containers: [{ ...app, ports }] } as PodSpec, {}).map((warning) =>
    warning.replaceAll('spec.containers[0].ports', '').replace(' port definition with', ''),
  );
  expect(clashes).toEqual([
    '[3]: dangerously ambiguous [1]',
    '[3]: dangerously ambiguous [2]',
    '[4]: duplicate [1]',
    '[4]: dangerously ambiguous [3]',
    '[5]: overlapping [0]',
    '[5]: overlapping [1]',
    '[5]: overlapping [2]',
    '[5]: overlapping [3]',
    '[5]: overlapping [4]',
  ]);
});

test('slashes at the end of a path do not count, however many there are inside it', () => {
  const slashes = '/'.repeat(1_000_000);
  const volumes = [{ name: 'v', configMap: keyed(`a${slashes}x`, `b${slashes}`, 'b') }];
  expect(podWarnings({ containers: [app], volumes } as PodSpec, {})).toEqual([
    'volume "v" (ConfigMap "c"): overlapping paths: "b" with "b"',
  ]);
});
