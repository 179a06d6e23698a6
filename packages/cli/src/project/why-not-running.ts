import { type Client, logLines } from '@pintle/client';
import type { Deployment } from '@pintle/kinds/apps/v1';
import type { ContainerStatus, Pod } from '@pintle/kinds/core/v1';
import { Node, Pod as Pods } from '@pintle/kinds/core/v1';

/** Returns why the pods of a Deployment do not run; empty when the cluster gives no reason. */
export async function whyNotRunning(client: Client, deployment: Deployment | undefined): Promise<string> {
  if (deployment === undefined) return 'the Deployment is gone';
  const { metadata, status } = deployment;
  if ((status?.observedGeneration ?? 0) < (metadata.generation ?? 1))
    return 'no controller has observed the Deployment: does a controller manager run?';
  const failure = status?.conditions?.find((each) => each.type === 'ReplicaFailure' && each.status === 'True');
  if (failure !== undefined)
    return `pods cannot be created: ${failure.message ?? failure.reason ?? 'no reason is given'}`;
  try {
    const { all, waiting } = await podsOf(client, deployment);
    if (waiting.length === 0) return all === 0 ? 'no pod was created yet' : '';
    return await whyWaiting(client, waiting[0]!);
  } catch {
    // The user may be allowed to deploy and not to read pods.
    return '';
  }
}

const MAX_LINES = 20;

/** Returns the last log lines of a failed container of the newest pod; none when they cannot be read. */
export async function lastLines(client: Client, deployment: Deployment | undefined): Promise<string[]> {
  if (deployment === undefined) return [];
  try {
    const { waiting } = await podsOf(client, deployment);
    for (const { metadata, status } of waiting.slice(0, 1)) {
      const failed = status?.containerStatuses?.find(({ state, lastState }) =>
        [state, lastState].some((each) => each?.terminated !== undefined && each.terminated.exitCode !== 0),
      );
      if (failed === undefined) continue;
      const { namespace, name = '' } = metadata;
      const previous = failed.state?.terminated === undefined;
      const options = { container: failed.name, previous, tailLines: MAX_LINES };
      const lines: string[] = [];
      for await (const line of logLines(client, { namespace: namespace ?? '', name }, options)) lines.push(line);
      return lines;
    }
    return [];
  } catch {
    // The log may be gone, or the user may be allowed to deploy and not to read logs.
    return [];
  }
}

async function podsOf(
  client: Client,
  { metadata, spec }: Deployment,
): Promise<{ readonly all: number; readonly waiting: readonly Pod[] }> {
  const labelSelector = Object.entries(spec?.selector.matchLabels ?? {})
    .map(([key, value]) => `${key}=${value}`)
    .join(',');
  const { items } = await client.list(Pods, { namespace: metadata.namespace, labelSelector });
  const waiting = items.filter((pod) => pod.metadata.deletionTimestamp === undefined && !isReady(pod)).sort(byAge);
  return { all: items.length, waiting };
}

function byAge(a: Pod, b: Pod): number {
  return (a.metadata.creationTimestamp ?? '') < (b.metadata.creationTimestamp ?? '') ? 1 : -1;
}

function isReady({ status }: Pod): boolean {
  return status?.conditions?.some((each) => each.type === 'Ready' && each.status === 'True') === true;
}

async function whyWaiting(client: Client, { metadata: { name }, spec, status }: Pod): Promise<string> {
  if (spec?.nodeName === undefined) return `pod ${name} is not scheduled: ${await whyNotScheduled(client, status)}`;
  const containers = [...(status?.initContainerStatuses ?? []), ...(status?.containerStatuses ?? [])];
  const problem = containers.map(problemOf).find((each) => each !== undefined);
  if (problem !== undefined) return `pod ${name}: ${problem}`;
  if (status?.phase === 'Failed')
    return `pod ${name} failed: ${status.message ?? status.reason ?? 'no reason is given'}`;
  if (containers.length === 0) return `node ${spec.nodeName} has not started pod ${name} yet`;
  return `pod ${name} runs but is not ready: its readiness probe does not succeed yet`;
}

async function whyNotScheduled(client: Client, status: Pod['status']): Promise<string> {
  const scheduled = status?.conditions?.find(({ type }) => type === 'PodScheduled');
  if (scheduled?.message) return scheduled.message;
  const { items } = await client.list(Node, { limit: 1 });
  return items.length === 0 ? 'the cluster has no nodes' : 'no scheduler has observed it: does one run?';
}

function problemOf({ name, state, lastState, image }: ContainerStatus): string | undefined {
  const { waiting, terminated } = state ?? {};
  const ended = terminated ?? lastState?.terminated;
  const end =
    ended === undefined ? '' : ` (it exited with ${ended.exitCode}${ended.message ? `: ${ended.message.trim()}` : ''})`;
  if (waiting?.reason !== undefined && waiting.reason !== 'ContainerCreating' && waiting.reason !== 'PodInitializing') {
    const about = /Image|Pull/.test(waiting.reason) ? ` ${image}` : '';
    return `container ${name}: ${waiting.reason}${about}${waiting.message ? `, ${waiting.message}` : ''}${end}`;
  }
  return terminated !== undefined && terminated.exitCode !== 0 ? `container ${name} stopped${end}` : undefined;
}
