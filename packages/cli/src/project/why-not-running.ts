import type { Client } from '@pintle/client';
import type { Deployment } from '@pintle/kinds/apps/v1';
import type { ContainerStatus, Pod } from '@pintle/kinds/core/v1';
import { Node, Pod as Pods } from '@pintle/kinds/core/v1';

/** Why a Deployment's pods do not run, as far as the cluster says; empty when it says nothing. */
export async function whyNotRunning(client: Client, deployment: Deployment | undefined): Promise<string> {
  if (deployment === undefined) return 'the Deployment is gone';
  const { metadata, status, spec } = deployment;
  if ((status?.observedGeneration ?? 0) < (metadata.generation ?? 1))
    return 'no controller has looked at the Deployment: does a controller manager run?';
  const failure = status?.conditions?.find((each) => each.type === 'ReplicaFailure' && each.status === 'True');
  if (failure !== undefined) return `pods cannot be made: ${failure.message ?? failure.reason ?? 'no reason is given'}`;
  const labelSelector = Object.entries(spec?.selector.matchLabels ?? {})
    .map(([key, value]) => `${key}=${value}`)
    .join(',');
  try {
    const { items } = await client.list(Pods, { namespace: metadata.namespace, labelSelector });
    const waiting = items.filter((pod) => pod.metadata.deletionTimestamp === undefined && !isReady(pod)).sort(byAge);
    if (waiting.length === 0) return items.length === 0 ? 'no pod was made yet' : '';
    return await whyWaiting(client, waiting[0]!);
  } catch {
    // Whoever may deploy need not be allowed to look at pods.
    return '';
  }
}

function byAge(a: Pod, b: Pod): number {
  return (a.metadata.creationTimestamp ?? '') < (b.metadata.creationTimestamp ?? '') ? 1 : -1;
}

function isReady({ status }: Pod): boolean {
  return status?.conditions?.some((each) => each.type === 'Ready' && each.status === 'True') === true;
}

async function whyWaiting(client: Client, { metadata: { name }, spec, status }: Pod): Promise<string> {
  if (spec?.nodeName === undefined) return `pod ${name} is on no node: ${await whyNotScheduled(client, status)}`;
  const containers = [...(status?.initContainerStatuses ?? []), ...(status?.containerStatuses ?? [])];
  const problem = containers.map(problemOf).find((each) => each !== undefined);
  if (problem !== undefined) return `pod ${name}: ${problem}`;
  if (status?.phase === 'Failed')
    return `pod ${name} failed: ${status.message ?? status.reason ?? 'no reason is given'}`;
  if (containers.length === 0) return `node ${spec.nodeName} has not taken up pod ${name} yet`;
  return `pod ${name} runs and is not ready: its readiness probe does not succeed yet`;
}

async function whyNotScheduled(client: Client, status: Pod['status']): Promise<string> {
  const scheduled = status?.conditions?.find(({ type }) => type === 'PodScheduled');
  if (scheduled?.message) return scheduled.message;
  const { items } = await client.list(Node, { limit: 1 });
  return items.length === 0 ? 'the cluster has no nodes' : 'no scheduler has looked at it: does one run?';
}

function problemOf({ name, state, lastState, image }: ContainerStatus): string | undefined {
  const { waiting, terminated } = state ?? {};
  const ended = terminated ?? lastState?.terminated;
  const end =
    ended === undefined ? '' : ` (it ended with ${ended.exitCode}${ended.message ? `: ${ended.message.trim()}` : ''})`;
  if (waiting?.reason !== undefined && waiting.reason !== 'ContainerCreating' && waiting.reason !== 'PodInitializing') {
    const about = /Image|Pull/.test(waiting.reason) ? ` ${image}` : '';
    return `container ${name}: ${waiting.reason}${about}${waiting.message ? `, ${waiting.message}` : ''}${end}`;
  }
  return terminated !== undefined && terminated.exitCode !== 0 ? `container ${name} stopped${end}` : undefined;
}
