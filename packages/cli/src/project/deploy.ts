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
  readonly output?: Output;
}

type Output = 'text' | 'json';

/** `pintle deploy`: applies everything, takes away what is not part of it any more, and waits until it runs. */
export async function deploy(flags: DeployFlags): Promise<void> {
  const { project, manifests } = await projectManifests(process.cwd(), flags);
  const client = await connectTo(flags);
  const mapper = new RestMapper({ client });
  const report = new Report(flags.output);
  const applied = await applyAll(client, mapper, manifests.filter(isForDeployer), report);
  await prune(client, applied, project.name, report);
  if (flags.wait !== false) await untilRolledOut(client, manifests, report);
  report.finish();
}

/** `pintle undeploy`: the other way round. Definitions stay, and with them people's objects, unless told otherwise. */
export async function undeploy(flags: DeployFlags & { readonly crds?: boolean }): Promise<void> {
  const { manifests } = await projectManifests(process.cwd(), flags);
  const client = await connectTo(flags);
  await removeAll(client, manifests.filter(({ folder }) => flags.crds || folder !== 'crds').reverse(), flags.output);
}

/** `pintle install`: only the definitions. */
export async function install(flags: ClusterFlags & { readonly output?: Output }): Promise<void> {
  const { manifests } = await projectManifests(process.cwd());
  const client = await connectTo(flags);
  const report = new Report(flags.output);
  await applyAll(client, new RestMapper({ client }), manifests.filter(isDefinition), report);
  report.finish();
}

/** `pintle uninstall`: the definitions, and every object of theirs. */
export async function uninstall(flags: ClusterFlags & { readonly output?: Output }): Promise<void> {
  const { manifests } = await projectManifests(process.cwd());
  await removeAll(await connectTo(flags), manifests.filter(isDefinition), flags.output);
}

function isDefinition({ folder }: Manifest): boolean {
  return folder === 'crds';
}

/** An operator tells the server of its webhooks by itself, once it can answer. */
function isForDeployer({ object: { kind } }: Manifest): boolean {
  return kind !== 'MutatingWebhookConfiguration' && kind !== 'ValidatingWebhookConfiguration';
}

interface Applied {
  readonly type: ResourceType;
  readonly uid: string;
}

async function applyAll(
  client: Client,
  mapper: RestMapper,
  manifests: readonly Manifest[],
  report: Report,
): Promise<Applied[]> {
  const applied: Applied[] = [];
  for (const { object } of manifests) {
    const type = await typeOf(mapper, object);
    if (type === undefined) {
      report.add('skip', object, 'left out: the cluster does not know such objects');
      continue;
    }
    const before = await client.find(type, refOf(object));
    const after = await client.apply(type, object, { fieldManager: FIELD_MANAGER, force: true });
    const isSame = before?.metadata.resourceVersion === after.metadata.resourceVersion;
    report.add(before === undefined ? 'create' : isSame ? 'same' : 'edit', object);
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
async function prune(client: Client, applied: readonly Applied[], name: string, report: Report): Promise<void> {
  const kept = new Set(applied.map(({ uid }) => uid));
  const labelSelector = `app.kubernetes.io/managed-by=pintle,app.kubernetes.io/name=${name}`;
  for (const type of new Set(applied.map((each) => each.type))) {
    if (type.kind === 'CustomResourceDefinition' || type.kind === 'Namespace') continue;
    for (const object of (await client.list(type, { labelSelector })).items) {
      const isOurs = object.metadata.managedFields?.some(({ manager }) => manager === FIELD_MANAGER);
      if (!isOurs || kept.has(object.metadata.uid ?? '')) continue;
      await client.delete(type, refOf(object), { propagationPolicy: 'Background' });
      report.add('delete', { ...object, kind: type.kind });
    }
  }
}

async function removeAll(client: Client, manifests: readonly Manifest[], output?: Output): Promise<void> {
  const mapper = new RestMapper({ client });
  const report = new Report(output);
  for (const { object } of manifests) {
    const type = await typeOf(mapper, object);
    if (type === undefined) continue;
    try {
      await client.delete(type, refOf(object), { propagationPolicy: 'Background' });
      report.add('delete', object);
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  }
  report.finish('Nothing to take away: it is not there');
}

/** Shows how far it is whenever that changes. */
async function untilRolledOut(client: Client, manifests: readonly Manifest[], report: Report): Promise<void> {
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
      if (progress !== shown) report.say(`  ${object.metadata.name}: ${progress}`);
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

const SIGNS = { create: '+', edit: '~', same: ' ', delete: '-', skip: ' ' } as const;

/** Says what became of which objects, as it happens; for a program, all of it at the end. */
class Report {
  readonly #output: Output;
  readonly #objects: object[] = [];

  constructor(output: Output = 'text') {
    this.#output = output;
  }

  add(change: keyof typeof SIGNS, { apiVersion, kind, metadata }: KubernetesObject, why = ''): void {
    const { namespace, name } = metadata;
    this.#objects.push({ change, apiVersion, kind, ...(namespace && { namespace }), name });
    const place = namespace ? `${namespace}/` : '';
    this.say(`${SIGNS[change]} ${kind} ${place}${name}${why === '' ? '' : ` (${why})`}`);
  }

  say(line: string): void {
    if (this.#output === 'text') process.stdout.write(`${line}\n`);
  }

  /** `nothing` is said when there was nothing to do. */
  finish(nothing = ''): void {
    if (this.#output === 'json') process.stdout.write(`${JSON.stringify({ objects: this.#objects }, null, 2)}\n`);
    else if (this.#objects.length === 0 && nothing !== '') this.say(nothing);
  }
}
