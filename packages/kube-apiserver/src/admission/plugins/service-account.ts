import type { AdmissionPlugin } from '@pintle/apiserver/admission';
import type { AdmissionRequest } from '@pintle/apiserver/resource';
import { generatedSuffix } from '@pintle/apiserver/resource';
import { decodeObject, objectKey } from '@pintle/apiserver/storage';
import type { Random } from '@pintle/async';
import type { Container, Pod, ServiceAccount, Volume } from '@pintle/kinds/core/v1';
import { pathSegmentName } from '@pintle/machinery/names';
import type { Store } from '@pintle/store';
import { forbid, isWriteOf } from './targets.ts';

const ACCOUNTS = { group: '', resource: 'serviceaccounts' };
const TOKEN_PATH = '/var/run/secrets/kubernetes.io/serviceaccount';
const VOLUME_PREFIX = 'kube-api-access-';
/** Slightly more than an hour, so that an hourly renewal is never late. */
const TOKEN_SECONDS = 3607;
const MIRROR = 'kubernetes.io/config.mirror';
const ENFORCE_SECRETS = 'kubernetes.io/enforce-mountable-secrets';

/** Sets the service account of a pod and mounts its token. */
export function serviceAccountPlugin({
  store,
  random,
}: {
  readonly store: Store;
  readonly random: Random;
}): AdmissionPlugin {
  return {
    name: 'ServiceAccount',
    handles: (request) => isWriteOf(request, 'pods') || isWriteOf(request, 'pods', ['UPDATE'], 'ephemeralcontainers'),
    mutate: async (request) => {
      const pod = request.object as Pod;
      if (request.operation !== 'CREATE' || !pod.spec) return;
      if (pod.metadata.annotations?.[MIRROR] !== undefined) return checkMirror(request, pod);
      const name = pod.spec.serviceAccountName || 'default';
      pod.spec.serviceAccountName = name;
      pod.spec.serviceAccount = name;
      const account = await findAccount(store, request, name);
      if (pod.spec.automountServiceAccountToken ?? account.automountServiceAccountToken ?? true)
        mountToken(pod, random);
      if (!pod.spec.imagePullSecrets?.length && account.imagePullSecrets?.length)
        pod.spec.imagePullSecrets = account.imagePullSecrets.map(({ name: secret }) =>
          secret ? { name: secret } : {},
        );
    },
    validate: async (request) => {
      const pod = request.object as Pod;
      if (pod.metadata.annotations?.[MIRROR] !== undefined) return checkMirror(request, pod);
      const name = pod.spec?.serviceAccountName ?? '';
      if (name === '') throw forbid(request, 'no service account specified for pod');
      const account = await findAccount(store, request, name);
      if (account.metadata.annotations?.[ENFORCE_SECRETS] === 'true') checkSecrets(request, pod, account);
    },
  };
}

function whyMissing(name: string): string {
  const problems = pathSegmentName(name, false);
  return problems.length > 0
    ? `invalid resource name "${name}": [${problems.join(' ')}]`
    : `serviceaccount "${name}" not found`;
}

async function findAccount(store: Store, request: AdmissionRequest, name: string): Promise<ServiceAccount> {
  const { namespace } = request;
  const record = /^[a-z0-9.-]{1,253}$/.test(name) ? await store.get(objectKey(ACCOUNTS, namespace, name)) : undefined;
  if (record === undefined)
    throw forbid(request, `error looking up service account ${namespace}/${name}: ${whyMissing(name)}`);
  return decodeObject(record, 'ServiceAccount') as ServiceAccount;
}

function mountToken({ spec }: Pod, random: Random): void {
  const existing = spec!.volumes?.find(({ name }) => name.startsWith(VOLUME_PREFIX));
  const name = existing?.name ?? VOLUME_PREFIX + generatedSuffix(random);
  let isMounted = false;
  const mount = (container: Container): void => {
    if (container.volumeMounts?.some(({ mountPath }) => mountPath === TOKEN_PATH)) return;
    container.volumeMounts = [...(container.volumeMounts ?? []), { name, readOnly: true, mountPath: TOKEN_PATH }];
    isMounted = true;
  };
  for (const container of spec!.initContainers ?? []) mount(container);
  for (const container of spec!.containers ?? []) mount(container);
  if (isMounted && existing === undefined) spec!.volumes = [...(spec!.volumes ?? []), tokenVolume(name)];
}

function tokenVolume(name: string): Volume {
  return {
    name,
    projected: {
      sources: [
        { serviceAccountToken: { expirationSeconds: TOKEN_SECONDS, path: 'token' } },
        { configMap: { name: 'kube-root-ca.crt', items: [{ key: 'ca.crt', path: 'ca.crt' }] } },
        {
          downwardAPI: {
            items: [{ path: 'namespace', fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.namespace' } }],
          },
        },
      ],
      defaultMode: 0o644,
    },
  };
}

/** Refuses references to API objects in a mirror pod, which a node runs by itself. */
function checkMirror(request: AdmissionRequest, { spec }: Pod): void {
  if (spec?.serviceAccountName) throw forbid(request, 'a mirror pod may not reference service accounts');
  for (const { projected } of spec?.volumes ?? [])
    if (projected?.sources?.some(({ serviceAccountToken }) => serviceAccountToken))
      throw forbid(request, 'a mirror pod may not use ServiceAccountToken volume projections');
}

function checkSecrets(request: AdmissionRequest, { spec }: Pod, account: ServiceAccount): void {
  const { metadata, secrets = [] } = account;
  const allowed = new Set(secrets.map(({ name }) => name));
  for (const { secret } of spec?.volumes ?? [])
    if (secret && !allowed.has(secret.secretName))
      throw forbid(
        request,
        `volume with secret.secretName=${JSON.stringify(secret.secretName)} is not allowed because service account ${metadata.name} does not reference that secret`,
      );
  const containers = [
    ...(spec?.initContainers ?? []).map((container) => ['init container', container] as const),
    ...(spec?.containers ?? []).map((container) => ['container', container] as const),
    ...(spec?.ephemeralContainers ?? []).map((container) => ['ephemeral container', container] as const),
  ];
  for (const [kind, { name, env = [], envFrom = [] }] of containers) {
    const used = [
      ...env.map(({ name: variable, valueFrom }) => [variable, valueFrom?.secretKeyRef?.name] as const),
      ...envFrom.map(({ secretRef }) => ['', secretRef?.name] as const),
    ];
    for (const [variable, secret] of used)
      if (secret && !allowed.has(secret))
        throw forbid(
          request,
          `${kind} ${name} with ${variable ? `envVar ${variable}` : 'envFrom'} referencing secret.secretName=${JSON.stringify(secret)} is not allowed because service account ${metadata.name} does not reference that secret`,
        );
  }
  checkPullSecrets(request, spec?.imagePullSecrets ?? [], account);
}

function checkPullSecrets(
  request: AdmissionRequest,
  asked: readonly { readonly name?: string }[],
  { metadata, imagePullSecrets = [] }: ServiceAccount,
): void {
  const allowed = new Set(imagePullSecrets.map(({ name }) => name));
  for (const [index, { name = '' }] of asked.entries()) {
    if (allowed.has(name)) continue;
    const what = `imagePullSecrets[${index}].name=${JSON.stringify(name)}`;
    throw forbid(
      request,
      `${what} is not allowed because service account ${metadata.name} does not reference that imagePullSecret`,
    );
  }
}
