import { expect, test } from 'vitest';
import type { TestApi } from '../../../testing/test-api.ts';
import { openTestApi } from '../../../testing/test-api.ts';
import type { CheckedPod } from './checks.ts';
import { describeViolations, violationsOf } from './evaluate.ts';
import type { Level } from './policy.ts';
import { policyOf } from './policy.ts';

const PREFIX = 'pod-security.kubernetes.io/';
const LATEST = Number.POSITIVE_INFINITY;

/** What a pod of one container lacks of a level. */
function check(level: Level, spec: object, context: object, expected: string, minor = LATEST): void {
  const pod = { metadata: {}, spec: { containers: [{ name: 'c', securityContext: context }], ...spec } } as CheckedPod;
  expect(describeViolations(violationsOf(pod, { level, minor }))).toBe(expected);
}

const SECURE = {
  allowPrivilegeEscalation: false,
  capabilities: { drop: ['ALL'] },
  runAsNonRoot: true,
  seccompProfile: { type: 'RuntimeDefault' },
};

test('the baseline forbids what is known to lead out of a container', () => {
  check('baseline', {}, {}, '');
  check('baseline', { hostPID: true, hostNetwork: true }, {}, 'host namespaces (hostNetwork=true, hostPID=true)');
  check(
    'baseline',
    {},
    { procMount: 'Unmasked' },
    'procMount (container "c" must not set securityContext.procMount to "Unmasked")',
  );
  check('baseline', { hostUsers: false }, { procMount: 'Unmasked' }, '');
  check(
    'baseline',
    { securityContext: { windowsOptions: { hostProcess: true } } },
    { windowsOptions: { hostProcess: true } },
    'hostProcess (pod and container "c" must not set securityContext.windowsOptions.hostProcess=true)',
  );
  check(
    'baseline',
    {},
    { appArmorProfile: { type: 'Unconfined' } },
    'forbidden AppArmor profile (container "c" must not set AppArmor profile type to "Unconfined")',
  );
  check(
    'baseline',
    { containers: [{ name: 'c', livenessProbe: { httpGet: { host: '10.0.0.1' } } }] },
    {},
    'probe or lifecycle host (container "c" uses probe or lifecycle host "10.0.0.1")',
  );
});

test('the restricted level asks for more, and older versions of it for less', () => {
  check('restricted', {}, SECURE, '');
  check('restricted', {}, { ...SECURE, runAsUser: 0 }, 'runAsUser=0 (container "c" must not set runAsUser=0)');
  check('restricted', {}, { ...SECURE, runAsUser: 0 }, '', 22);
  check('restricted', { hostUsers: false }, { ...SECURE, runAsUser: 0, runAsNonRoot: false }, '');
  check('restricted', { os: { name: 'windows' } }, { runAsNonRoot: true }, '');
  check(
    'restricted',
    {
      volumes: [
        { name: 'v', hostPath: { path: '/' } },
        { name: 'w', nfs: {} },
      ],
    },
    SECURE,
    'restricted volume types (volumes "v", "w" use restricted volume types "hostPath", "nfs")',
  );
  const sysctls = [{ name: 'net.ipv4.tcp_rmem', value: '1' }];
  check('restricted', { securityContext: { sysctls } }, SECURE, '');
  check('restricted', { securityContext: { sysctls } }, SECURE, 'forbidden sysctls (net.ipv4.tcp_rmem)', 31);
});

test('what is enforced is also warned of, unless the labels say otherwise', () => {
  const restricted = { level: 'restricted', minor: 20 };
  const enforce = { [`${PREFIX}enforce`]: 'restricted', [`${PREFIX}enforce-version`]: 'v1.20' };
  expect(policyOf(enforce).policy).toMatchObject({
    enforce: restricted,
    warn: restricted,
    audit: { level: 'privileged' },
  });
  expect(policyOf({ ...enforce, [`${PREFIX}warn`]: 'baseline' }).policy.warn).toEqual({
    level: 'baseline',
    minor: LATEST,
  });
});

const NAMESPACE = '/api/v1/namespaces/secured';
const PODS = `${NAMESPACE}/pods`;
const pod = (name: string, spec: object = {}) => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name },
  spec: { containers: [{ name: 'c', image: 'image' }], ...spec },
});

async function openWith(labels: Record<string, string>): Promise<TestApi> {
  const api = await openTestApi();
  await api.post('/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'secured', labels } });
  return api;
}

test('a pod that falls short is refused, and one that nearly does is warned of', async () => {
  await using api = await openWith({ [`${PREFIX}enforce`]: 'baseline', [`${PREFIX}warn`]: 'restricted' });
  expect((await api.post(PODS, pod('host', { hostNetwork: true }))).body.message).toBe(
    'pods "host" is forbidden: violates PodSecurity "baseline:latest": host namespaces (hostNetwork=true)',
  );
  const { status, warnings } = await api.post(PODS, pod('plain'));
  expect(status).toBe(201);
  expect(warnings[0]).toContain('would violate PodSecurity \\"restricted:latest\\": allowPrivilegeEscalation != false');
});

test('pods that are there are told of when their namespace asks for more', async () => {
  await using api = await openWith({});
  for (const name of ['b', 'a', 'host']) await api.post(PODS, pod(name, { hostPID: name === 'host' }));
  const { warnings } = await api.merge(NAMESPACE, { metadata: { labels: { [`${PREFIX}enforce`]: 'restricted' } } });
  const lacks = 'allowPrivilegeEscalation != false, unrestricted capabilities, runAsNonRoot != true, seccompProfile';
  expect(warnings).toEqual([
    '299 - "existing pods in namespace \\"secured\\" violate the new PodSecurity enforce level \\"restricted:latest\\""',
    `299 - "a (and 1 other pod): ${lacks}"`,
    `299 - "host: host namespaces, ${lacks}"`,
  ]);
  expect((await api.merge(`${PODS}/a`, { metadata: { labels: { a: 'b' } } })).status).toBe(200);
  const debugged = { spec: { ephemeralContainers: [{ name: 'debug', image: 'image' }] } };
  expect((await api.merge(`${PODS}/a/ephemeralcontainers`, debugged)).status).toBe(403);
});
