import type { Client } from '@pintle/client';
import { RestMapper } from '@pintle/client';
import type { GenerateManifestsOptions, Manifest } from '@pintle/generate';
import { projectManifests, rememberImage } from '@pintle/generate';
import { applyAll, prune, refOf } from './applied-objects.ts';
import type { ClusterFlags } from './cluster.ts';
import { connectTo } from './cluster.ts';
import { removeObjects, removeRegistrations } from './remove-objects.ts';
import type { Output } from './report.ts';
import { Report } from './report.ts';
import { untilRolledOut } from './rollout.ts';

const TIMEOUT_MS = 120_000;

export interface WaitFlags extends ClusterFlags {
  /** Default: true. */
  readonly wait?: boolean;
  /** In milliseconds. Default: two minutes. */
  readonly timeout?: number;
  readonly output?: Output;
}

export interface DeployFlags extends WaitFlags, Pick<GenerateManifestsOptions, 'namespace' | 'image' | 'replicas'> {}

/** `pintle deploy`: applies everything, takes away what is not part of it any more, and waits until it runs. */
export async function deploy(flags: DeployFlags): Promise<void> {
  const { project, manifests } = await projectManifests(process.cwd(), { ...flags, onWarning: warn });
  const client = await connectTo(flags);
  if (flags.image !== undefined) rememberImage(process.cwd(), flags.image);
  const report = new Report(flags.output);
  const applied = await applyAll(client, new RestMapper({ client }), inOrder(manifests), report);
  const { namespace = '', name } = refOf(manifests.find(({ object: { kind } }) => kind === 'Deployment')!.object);
  await prune(client, applied, project, { namespace, report });
  const timeoutMs = timeoutOf(flags);
  if (timeoutMs > 0) await finishing(report, () => untilRolledOut(client, { namespace, name }, { report, timeoutMs }));
  report.finish();
}

/** `pintle undeploy`: the other way round. Definitions stay, and with them people's objects, unless told otherwise. */
export async function undeploy(flags: DeployFlags & { readonly crds?: boolean }): Promise<void> {
  const { project, manifests } = await projectManifests(process.cwd(), flags);
  const client = await connectTo(flags);
  // Objects may wait for the operator to clear up after them: their definitions go while it is there.
  const definitions = flags.crds ? manifests.filter(isDefinition) : [];
  const others = manifests.filter((manifest) => !isDefinition(manifest) && !isRegistration(manifest)).reverse();
  await removing(client, [...definitions, ...others], flags, (report) =>
    removeRegistrations(client, project.name, report),
  );
}

/** `pintle install`: only the definitions. */
export async function install(flags: ClusterFlags & { readonly output?: Output }): Promise<void> {
  const { manifests } = await projectManifests(process.cwd());
  const client = await connectTo(flags);
  const report = new Report(flags.output);
  await applyAll(client, new RestMapper({ client }), manifests.filter(isDefinition), report);
  report.finish('Nothing to bring: the project defines no resources');
}

/** `pintle uninstall`: the definitions, and every object of theirs. */
export async function uninstall(flags: WaitFlags): Promise<void> {
  const { manifests } = await projectManifests(process.cwd());
  await removing(await connectTo(flags), manifests.filter(isDefinition), flags);
}

async function removing(
  client: Client,
  manifests: readonly Manifest[],
  flags: WaitFlags,
  more: (report: Report) => Promise<void> = async () => undefined,
): Promise<void> {
  const report = new Report(flags.output);
  await finishing(report, async () => {
    await removeObjects(client, manifests, { report, timeoutMs: timeoutOf(flags) });
    await more(report);
  });
  report.finish('Nothing to take away: it is not there');
}

/** What was done is told even when not all of it could be. */
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

/** An operator may write into the configurations of its webhooks and not create them: they are there before it starts. */
function inOrder(manifests: readonly Manifest[]): Manifest[] {
  const isDeployment = ({ object: { kind } }: Manifest): boolean => kind === 'Deployment';
  return [...manifests.filter((each) => !isDeployment(each)), ...manifests.filter(isDeployment)];
}

/** Configurations of webhooks are removed by `removeRegistrations`, whoever wrote them. */
function isRegistration({ object: { kind } }: Manifest): boolean {
  return kind === 'MutatingWebhookConfiguration' || kind === 'ValidatingWebhookConfiguration';
}

function warn(text: string): void {
  process.stderr.write(`pintle: ${text}\n`);
}
