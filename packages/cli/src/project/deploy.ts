import type { Client, NamespacedRef } from '@pintle/client';
import { RestMapper } from '@pintle/client';
import type { GenerateManifestsOptions, Manifest } from '@pintle/generate';
import { generateManifests, projectManifests, rememberDeployment } from '@pintle/generate';
import { CustomResourceDefinition } from '@pintle/kinds/apiextensions/v1';
import { Deployment } from '@pintle/kinds/apps/v1';
import { Node } from '@pintle/kinds/core/v1';
import { isForbidden } from '@pintle/machinery/errors';
import { UsageError } from '../usage-error.ts';
import { applyAll, prune, refOf } from './applied-objects.ts';
import type { ClusterFlags } from './cluster.ts';
import { connectTo } from './cluster.ts';
import { confirmRemoval, describeCount } from './confirm-removal.ts';
import { definedBy, describeHeld, objectsWithFinalizers, releaseCommand } from './held-objects.ts';
import { projectDirectory } from './project-directory.ts';
import { type RemoveOptions, removeObjects, removeRegistrations } from './remove-objects.ts';
import type { Output } from './report.ts';
import { Report } from './report.ts';
import { untilRolledOut } from './rollout.ts';
import { hasManifests, writtenWith } from './written-manifests.ts';

const SIMULATED = 'pintle.dev/simulated';
const KUBELET = 'pintle.dev/kubelet';
const TIMEOUT_MS = 120_000;

interface WaitFlags extends ClusterFlags {
  /** Default: true. */
  readonly wait?: boolean;
  /** In milliseconds. Default: two minutes. */
  readonly timeout?: number;
  readonly output?: Output;
}

interface RemovalFlags extends WaitFlags {
  /** Deletes objects of users without confirmation. */
  readonly yes?: boolean;
}

interface DeployFlags extends WaitFlags, Pick<GenerateManifestsOptions, 'namespace' | 'image' | 'replicas'> {}

/** `pintle deploy`: applies all objects, removes those of earlier deployments, and waits until the operator runs. */
export async function deploy(flags: DeployFlags): Promise<void> {
  const { project, manifests } = await projectManifests(projectDirectory(), { ...flags, onWarning: warn });
  const client = await connectTo(flags);
  const report = new Report(flags.output);
  const nodes = await nodesOf(client);
  const { namespace = '', name } = refOf(manifests.find(({ object: { kind } }) => kind === 'Deployment')!.object);
  if (timeoutOf(flags) > 0 && nodes === 'process' && !(await hasCommand(client, { namespace, name })))
    throw new UsageError(NO_IMAGES);
  await remember(projectDirectory(), flags, report);
  const applied = await applyAll(client, new RestMapper({ client }), inOrder(manifests), report);
  await prune(client, applied, project, { namespace, report });
  const timeoutMs = timeoutOf(flags);
  const steady = nodes === 'simulated' ? { steadyMs: 0 } : {};
  const ref = { namespace, name };
  if (timeoutMs > 0) await finishing(report, () => untilRolledOut(client, ref, { report, timeoutMs, ...steady }));
  if (nodes === 'simulated')
    report.print('The nodes of this cluster are simulated: the container of the operator does not run');
  report.finish();
}

const NO_IMAGES =
  'Cannot deploy: the nodes of this cluster run commands of pods and no images (--kubelet process), so the operator would ' +
  'not start. Run it outside of the cluster with pintle run, or start the cluster without --kubelet process. Pass --no-wait ' +
  'to apply the objects all the same';

/** True when the container of the operator has a command, which such nodes run. */
async function hasCommand(client: Client, ref: NamespacedRef): Promise<boolean> {
  const { spec } = (await client.find(Deployment, ref)) ?? {};
  return spec?.template.spec?.containers.every(({ command }) => command?.length) === true;
}

/** Returns the kind of nodes that run no images; `undefined` for other nodes, or when the user may not list nodes. */
async function nodesOf(client: Client): Promise<'simulated' | 'process' | undefined> {
  try {
    const { items } = await client.list(Node);
    const all = (name: string, value: string): boolean =>
      items.length > 0 && items.every(({ metadata }) => metadata.annotations?.[name] === value);
    return all(SIMULATED, 'true') ? 'simulated' : all(KUBELET, 'process') ? 'process' : undefined;
  } catch (error) {
    if (isForbidden(error)) return undefined;
    throw error;
  }
}

/**
 * Remembers the image and the number of replicas for later commands. Updates existing manifests, so that they match what is
 * on the cluster.
 */
async function remember(directory: string, { image, replicas }: DeployFlags, report: Report): Promise<void> {
  rememberDeployment(directory, { ...(image !== undefined && { image }), ...(replicas !== undefined && { replicas }) });
  if (!hasManifests(directory)) return;
  const { namespace } = writtenWith(directory);
  const changes = await generateManifests(directory, { ...(namespace && { namespace }) });
  const paths = changes.filter(({ type }) => type !== 'same').map(({ path }) => path);
  if (paths.length > 0)
    report.print(`~ manifests (updated: ${paths.slice(0, 3).join(', ')}${paths.length > 3 ? ', …' : ''})`);
}

/** `pintle undeploy`: removes the operator. CRDs and the objects of users stay, except with --crds. */
export async function undeploy(flags: DeployFlags & RemovalFlags & { readonly crds?: boolean }): Promise<void> {
  const { project, manifests } = await projectManifests(projectDirectory(), flags);
  const client = await connectTo(flags);
  // Deletes CRDs while the operator runs: their objects may wait for its finalizers.
  const definitions = flags.crds ? manifests.filter(isDefinition) : [];
  const others = manifests.filter((manifest) => !isDefinition(manifest) && !isRegistration(manifest));
  const lost = await confirmRemoval(client, definitions, flags);
  await removing(client, definitions, flags, async (report, options) => {
    // Removes the webhooks before the operator, so that writes do not fail in between.
    await removeRegistrations(client, project.name, manifests.filter(isRegistration), report);
    await removeObjects(client, inOrder(others).reverse(), options);
    if (flags.crds) reportLost(report, lost, flags);
    else await reportLeft(client, manifests.filter(isDefinition), report);
  });
}

/** Prints what the objects that stay cannot do without the operator. */
export async function reportLeft(client: Client, definitions: readonly Manifest[], report: Report): Promise<void> {
  for (const { object } of definitions) {
    const definition = await client.find(CustomResourceDefinition, { name: object.metadata.name ?? '' });
    if (definition === undefined) continue;
    const { spec } = definition;
    const held = await objectsWithFinalizers(client, definition);
    if (held.length > 0)
      report.print(
        `Without the operator, these objects cannot be deleted: ${describeHeld(held, 'has')}. ` +
          `Deploy or run the operator to delete them, or remove the finalizers of each: ${releaseCommand(held)}`,
      );
    const { version } = definedBy(definition);
    if (spec.conversion?.strategy === 'Webhook' && spec.versions.some(({ name, served }) => served && name !== version))
      report.print(
        `Without the operator, ${spec.names.plural} can be read and written in version ${version} only: ` +
          `kubectl get ${spec.names.plural}.${version}.${spec.group}`,
      );
  }
}

/** `pintle install`: applies the CRDs only. */
export async function install(flags: ClusterFlags & { readonly output?: Output }): Promise<void> {
  const { manifests } = await projectManifests(projectDirectory());
  const client = await connectTo(flags);
  const report = new Report(flags.output);
  await applyAll(client, new RestMapper({ client }), manifests.filter(isDefinition), report);
  report.finish('Nothing to install: the project defines no resources');
}

/** `pintle uninstall`: deletes the CRDs and all of their objects. */
export async function uninstall(flags: RemovalFlags): Promise<void> {
  const { manifests } = await projectManifests(projectDirectory());
  const client = await connectTo(flags);
  const definitions = manifests.filter(isDefinition);
  const lost = await confirmRemoval(client, definitions, flags);
  await removing(client, definitions, flags, async (report) => reportLost(report, lost, flags));
}

function reportLost(report: Report, lost: number | undefined, flags: WaitFlags): void {
  if (lost) report.print(`${timeoutOf(flags) > 0 ? 'Deleted' : 'Deleting'} ${describeCount(lost)} with the CRDs`);
}

async function removing(
  client: Client,
  manifests: readonly Manifest[],
  flags: WaitFlags,
  more: (report: Report, options: RemoveOptions) => Promise<void>,
): Promise<void> {
  const report = new Report(flags.output);
  const options = { report, timeoutMs: timeoutOf(flags) };
  await finishing(report, async () => {
    await removeObjects(client, manifests, options);
    await more(report, options);
  });
  report.finish('Nothing to remove');
}

/** Reports what was done even when the work fails. */
async function finishing(report: Report, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    report.finish();
    throw error;
  }
}

function timeoutOf({ wait = true, timeout = TIMEOUT_MS }: WaitFlags): number {
  return wait ? timeout : 0;
}

function isDefinition({ folder }: Manifest): boolean {
  return folder === 'crds';
}

/** Puts the Deployment last: an operator may update its webhook configurations but not create them. */
function inOrder(manifests: readonly Manifest[]): Manifest[] {
  const isDeployment = ({ object: { kind } }: Manifest): boolean => kind === 'Deployment';
  return [...manifests.filter((each) => !isDeployment(each)), ...manifests.filter(isDeployment)];
}

/** True for webhook configurations, which `removeRegistrations` removes. */
function isRegistration({ object: { kind } }: Manifest): boolean {
  return kind === 'MutatingWebhookConfiguration' || kind === 'ValidatingWebhookConfiguration';
}

function warn(text: string): void {
  process.stderr.write(`pintle: ${text}\n`);
}
