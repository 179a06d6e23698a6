import type { Client } from '@pintle/client';
import { ClientError, RestMapper, untilDeleted } from '@pintle/client';
import type { Manifest } from '@pintle/generate';
import { MutatingWebhookConfiguration, ValidatingWebhookConfiguration } from '@pintle/kinds/admissionregistration/v1';
import type { KubernetesObject, ResourceType } from '@pintle/machinery';
import { ignoring, isNotFound } from '@pintle/machinery/errors';
import { UsageError } from '../usage-error.ts';
import { isOurs, isOwnNamespace, refOf, typeOf } from './applied-objects.ts';
import { describeHeld, heldObjects, releaseCommand } from './held-objects.ts';
import type { Report } from './report.ts';

export interface RemoveOptions {
  readonly report: Report;
  /** Maximum time to wait until the objects are gone; 0 does not wait. */
  readonly timeoutMs: number;
}

/** Deletes objects in order, and waits until namespaces and CRDs are gone. */
export async function removeObjects(
  client: Client,
  manifests: readonly Manifest[],
  { report, timeoutMs }: RemoveOptions,
): Promise<void> {
  const mapper = new RestMapper({ client });
  for (const { object } of manifests) {
    const type = await typeOf(mapper, object);
    const found = type && (await client.find(type, refOf(object)));
    if (type === undefined || found === undefined) continue;
    if (object.kind === 'Namespace' && !isOwnNamespace(found)) {
      report.add('skip', object, 'skipped: it existed before');
      continue;
    }
    await remove(client, type, object);
    report.add('delete', object);
    if (timeoutMs > 0 && SLOW.has(object.kind)) await untilGone(client, mapper, type, object, { report, timeoutMs });
  }
}

/** Kinds whose deletion takes time, since it deletes other objects. */
const SLOW: ReadonlySet<string> = new Set(['CustomResourceDefinition', 'Namespace']);

/**
 * Deletes the webhook configurations of an operator: those that it or a deployment wrote, and those that someone applied from its
 * manifests. Once it is gone, they would make every write fail.
 */
export async function removeRegistrations(
  client: Client,
  name: string,
  manifests: readonly Manifest[],
  report: Report,
): Promise<void> {
  const services = new Set(manifests.flatMap(({ object }) => servicesOf(object)));
  for (const type of [MutatingWebhookConfiguration, ValidatingWebhookConfiguration] as const) {
    const found = await client.find(type, { name });
    if (found === undefined) continue;
    const isFromOperator = found.metadata.managedFields?.some(({ manager }) => manager === `${name}-webhooks`);
    const isApplied = servicesOf(found).some((service) => services.has(service));
    if (!(isFromOperator || isApplied || isOurs(found))) continue;
    await remove(client, type, found);
    report.add('delete', { ...found, kind: type.kind });
  }
}

/** Returns the Services that the webhooks of a configuration call. */
function servicesOf(configuration: KubernetesObject): string[] {
  const { webhooks = [] } = configuration as MutatingWebhookConfiguration | ValidatingWebhookConfiguration;
  return webhooks.flatMap(({ clientConfig: { service } }) => (service ? [`${service.namespace}/${service.name}`] : []));
}

async function remove(client: Client, type: ResourceType, object: KubernetesObject): Promise<void> {
  await client.delete(type, refOf(object), { propagationPolicy: 'Background' }).catch(ignoring(isNotFound));
}

/** Interval of progress lines. */
const POLL_MS = 3_000;

async function untilGone(
  client: Client,
  mapper: RestMapper,
  type: ResourceType,
  object: KubernetesObject,
  { report, timeoutMs }: RemoveOptions,
): Promise<void> {
  const deadline = client.clock.now() + timeoutMs;
  for (let reported = ''; ; ) {
    const leftMs = deadline - client.clock.now();
    if (await isGoneWithin(client, type, object, Math.max(1, Math.min(POLL_MS, leftMs)))) return;
    const found = await client.find(type, refOf(object));
    if (found === undefined) return;
    const held = await heldObjects(client, mapper, type, found);
    const why = held.length > 0 ? describeHeld(held) : conditionsOf(found);
    if (why !== '' && why !== reported) report.progress(`  ${object.kind} ${object.metadata.name}: ${why}`);
    reported = why;
    if (leftMs > POLL_MS) continue;
    const advice =
      held.length === 0
        ? ''
        : `. Run the operator until they are gone, or remove the finalizers of each: ${releaseCommand(held)}`;
    throw new UsageError(
      `${object.kind} ${object.metadata.name} still exists after ${timeoutMs / 1000} s${why === '' ? '' : `: ${why}`}${advice}`,
    );
  }
}

async function isGoneWithin(
  client: Client,
  type: ResourceType,
  object: KubernetesObject,
  timeoutMs: number,
): Promise<boolean> {
  try {
    await untilDeleted(client, type, refOf(object), { timeoutMs });
    return true;
  } catch (error) {
    if (!(error instanceof ClientError && error.failure.code === 'TimedOut')) throw error;
    return false;
  }
}

/** Returns the messages of the conditions with which namespaces and CRDs explain a slow deletion. */
function conditionsOf(found: KubernetesObject): string {
  const { status } = found as {
    status?: { conditions?: readonly { type: string; status: string; message?: string }[] };
  };
  const blocking = (status?.conditions ?? []).filter(
    ({ type, status: value, message }) => value === 'True' && message && /Remaining|Failure|Terminating/.test(type),
  );
  return blocking.map(({ message }) => message).join('; ');
}
