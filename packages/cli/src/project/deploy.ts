import type { Client } from '@pintle/client';
import { RestMapper, waitFor } from '@pintle/client';
import type { GenerateManifestsOptions, Manifest } from '@pintle/generate';
import { projectManifests } from '@pintle/generate';
import { Deployment } from '@pintle/kinds/apps/v1';
import type { KubernetesObject, ResourceType } from '@pintle/machinery';
import { isNotFound } from '@pintle/machinery/errors';
import type { ClusterFlags } from './cluster.ts';
import { connectTo } from './cluster.ts';
import { untilEstablished } from './until-established.ts';

const FIELD_MANAGER = 'pintle-deploy';
const ROLLOUT_MS = 120_000;

export interface DeployFlags extends ClusterFlags, Pick<GenerateManifestsOptions, 'namespace' | 'image' | 'replicas'> {
  /** Default: true. */
  readonly wait?: boolean;
}

/** `pintle deploy`: applies everything, takes away what is not part of it any more, and waits until it runs. */
export async function deploy(flags: DeployFlags): Promise<void> {
  const { project, manifests } = await projectManifests(process.cwd(), flags);
  const client = await connectTo(flags);
  const mapper = new RestMapper({ client });
  const applied = await applyAll(client, mapper, manifests.filter(isForDeployer));
  await prune(client, applied, project.name);
  if (flags.wait !== false) await untilRolledOut(client, manifests);
}

/** `pintle undeploy`: the other way round. Definitions stay, and with them people's objects, unless told otherwise. */
export async function undeploy(flags: DeployFlags & { readonly crds?: boolean }): Promise<void> {
  const { manifests } = await projectManifests(process.cwd(), flags);
  const client = await connectTo(flags);
  await removeAll(client, manifests.filter(({ folder }) => flags.crds || folder !== 'crds').reverse());
}

/** `pintle install`: only the definitions. */
export async function install(flags: ClusterFlags): Promise<void> {
  const { manifests } = await projectManifests(process.cwd());
  const client = await connectTo(flags);
  await applyAll(
    client,
    new RestMapper({ client }),
    manifests.filter(({ folder }) => folder === 'crds'),
  );
}

/** `pintle uninstall`: the definitions, and every object of theirs. */
export async function uninstall(flags: ClusterFlags): Promise<void> {
  const { manifests } = await projectManifests(process.cwd());
  await removeAll(
    await connectTo(flags),
    manifests.filter(({ folder }) => folder === 'crds'),
  );
}

/** An operator tells the server of its webhooks by itself, once it can answer. */
function isForDeployer({ object: { kind } }: Manifest): boolean {
  return kind !== 'MutatingWebhookConfiguration' && kind !== 'ValidatingWebhookConfiguration';
}

interface Applied {
  readonly type: ResourceType;
  readonly uid: string;
}

async function applyAll(client: Client, mapper: RestMapper, manifests: readonly Manifest[]): Promise<Applied[]> {
  const applied: Applied[] = [];
  for (const { object } of manifests) {
    const type = await typeOf(mapper, object);
    if (type === undefined) {
      say(' ', object, 'left out: the cluster does not know such objects');
      continue;
    }
    const before = await client.find(type, refOf(object));
    const after = await client.apply(type, object, { fieldManager: FIELD_MANAGER, force: true });
    const isSame = before?.metadata.resourceVersion === after.metadata.resourceVersion;
    say(before === undefined ? '+' : isSame ? ' ' : '~', object);
    if (object.kind === 'CustomResourceDefinition') await untilEstablished(client, object.metadata.name ?? '');
    applied.push({ type, uid: after.metadata.uid ?? '' });
  }
  return applied;
}

/** ServiceMonitors are only known where Prometheus' operator is. */
async function typeOf(mapper: RestMapper, object: Manifest['object']): Promise<ResourceType | undefined> {
  try {
    return await mapper.kind(object);
  } catch (error) {
    if (object.kind === 'ServiceMonitor') return undefined;
    throw error;
  }
}

/** What an earlier deployment applied and this one did not. Definitions are left: people's objects hang on them. */
async function prune(client: Client, applied: readonly Applied[], name: string): Promise<void> {
  const kept = new Set(applied.map(({ uid }) => uid));
  const labelSelector = `app.kubernetes.io/managed-by=pintle,app.kubernetes.io/name=${name}`;
  for (const type of new Set(applied.map((each) => each.type))) {
    if (type.kind === 'CustomResourceDefinition' || type.kind === 'Namespace') continue;
    for (const object of (await client.list(type, { labelSelector })).items) {
      const isOurs = object.metadata.managedFields?.some(({ manager }) => manager === FIELD_MANAGER);
      if (!isOurs || kept.has(object.metadata.uid ?? '')) continue;
      await client.delete(type, refOf(object), { propagationPolicy: 'Background' });
      say('-', { ...object, kind: type.kind });
    }
  }
}

async function removeAll(client: Client, manifests: readonly Manifest[]): Promise<void> {
  const mapper = new RestMapper({ client });
  for (const { object } of manifests) {
    const type = await typeOf(mapper, object);
    if (type === undefined) continue;
    try {
      await client.delete(type, refOf(object), { propagationPolicy: 'Background' });
      say('-', object);
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  }
}

/** Shows how far it is whenever that changes. */
async function untilRolledOut(client: Client, manifests: readonly Manifest[]): Promise<void> {
  const { object } = manifests.find(({ object: { kind } }) => kind === 'Deployment')!;
  let shown = '';
  await waitFor(
    client,
    Deployment,
    refOf(object),
    (deployment) => {
      const { replicas = 1 } = deployment?.spec ?? {};
      const { observedGeneration = 0, updatedReplicas = 0, availableReplicas = 0 } = deployment?.status ?? {};
      const progress = `${availableReplicas} of ${replicas} run`;
      if (progress !== shown) process.stdout.write(`  ${object.metadata.name}: ${progress}\n`);
      shown = progress;
      const isSeen = observedGeneration >= (deployment?.metadata.generation ?? 1);
      return isSeen && updatedReplicas >= replicas && availableReplicas >= replicas;
    },
    { timeoutMs: ROLLOUT_MS },
  );
}

function refOf({ metadata: { namespace, name = '' } }: KubernetesObject): { namespace?: string; name: string } {
  return { ...(namespace && { namespace }), name };
}

function say(sign: string, { kind, metadata: { namespace, name } }: KubernetesObject, why = ''): void {
  const place = namespace ? `${namespace}/` : '';
  process.stdout.write(`${sign} ${kind} ${place}${name}${why === '' ? '' : ` (${why})`}\n`);
}
