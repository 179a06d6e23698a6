import type { CachedClient } from '@pintle/client';
import { Pod } from '@pintle/kinds/core/v1';
import { PodDisruptionBudget } from '@pintle/kinds/policy/v1';
import type { KubernetesObject } from '@pintle/machinery';
import { deepEqual } from '@pintle/machinery/json';
import { scaledValue } from '@pintle/machinery/quantity';
import { formatTime } from '@pintle/machinery/time';
import type { Controller, Manager, ReconcileScope, Result } from '@pintle/operator';
import { filterInTurns, thenMap } from '../common/filter-in-turns.ts';
import { controllerOf, requestsFor } from '../common/owners.ts';
import { isReady, isTerminal } from '../common/pods.ts';
import { eventRecorder } from '../common/record-event.ts';
import { precompilesSelector, selectorOf } from '../common/selectors.ts';
import { scaleOf } from './controller-scale.ts';
import { addStaleDisruptionController } from './stale-disruption.ts';

/** Time that a granted eviction counts as a disruption, even if the pod's deletion is not seen. */
const DISRUPTED_MS = 2 * 60_000;

type Status = NonNullable<PodDisruptionBudget['status']>;

/** Computes how many pods each PodDisruptionBudget allows to be disrupted. */
export function addDisruptionController(manager: Manager): Controller {
  const record = eventRecorder(manager, 'controllermanager');
  addStaleDisruptionController(manager);
  return manager
    .controller(PodDisruptionBudget, 'disruption')
    .filter(precompilesSelector)
    .watches(Pod, (pod) =>
      !isCurrent(manager, pod)
        ? []
        : thenMap(budgetsOf(manager, pod), (budgets) => {
            const [first, second] = budgets;
            if (second !== undefined)
              record(Pod, pod, {
                type: 'Warning',
                reason: 'MultiplePodDisruptionBudgets',
                message: multipleBudgetsMessage(pod, first!),
              });
            return budgets;
          }),
    )
    .reconcile(async (budget, { client, clock }) => {
      const nowMs = clock.now();
      const pods = await podsOf({ client, clock }, budget);
      if (pods.length === 0)
        record(PodDisruptionBudget, budget, { type: 'Normal', reason: 'NoPods', message: 'No matching pods found' });
      let counts: Counts;
      try {
        counts = await countExpected(client, budget, pods);
      } catch (error) {
        const message = error instanceof Error ? error.message : String(error);
        record(PodDisruptionBudget, budget, {
          type: 'Warning',
          reason: 'CalculateExpectedPodCountFailed',
          message: `Failed to calculate the number of expected pods: ${message}`,
        });
        // A retry does not help: the next change of a pod triggers the next sync.
        await writeStatus(client, budget, failSafeStatus(budget, message, nowMs));
        return undefined;
      }
      if (isPercentage(budget) && pods.some((pod) => controllerOf(pod) === undefined))
        record(PodDisruptionBudget, budget, {
          type: 'Warning',
          reason: 'UnmanagedPods',
          message: unmanagedPodsMessage(budget),
        });
      const { disruptedPods, nextMs } = stillDisrupted(budget, pods, nowMs);
      const currentHealthy = pods.filter(
        (pod) =>
          isReady(pod) && !pod.metadata.deletionTimestamp && !Object.hasOwn(disruptedPods, pod.metadata.name ?? ''),
      ).length;
      await writeStatus(client, budget, countedStatus(budget, counts, currentHealthy, disruptedPods, nowMs));
      return nextMs === undefined ? undefined : ({ requeueAfterMs: nextMs } satisfies Result);
    });
}

function multipleBudgetsMessage({ metadata: { namespace, name } }: Pod, chosen: { readonly name: string }): string {
  return `Pod "${namespace}"/"${name}" matches multiple PodDisruptionBudgets.  Chose "${chosen.name}" arbitrarily.`;
}

/** A percentage needs the expected number of pods, which is unknown for pods without a controller. */
function isPercentage({ spec }: PodDisruptionBudget): boolean {
  return spec?.maxUnavailable !== undefined || typeof spec?.minAvailable === 'string';
}

function unmanagedPodsMessage({ spec }: PodDisruptionBudget): string {
  const { matchLabels = {}, matchExpressions = [] } = spec?.selector ?? {};
  const labels = Object.keys(matchLabels).sort();
  const pairs = labels.map((key) => `${key}: ${matchLabels[key]},`).join('');
  const rules = matchExpressions.map(
    ({ key, operator, values = [] }) =>
      `LabelSelectorRequirement{Key:${key},Operator:${operator},Values:[${values.join(' ')}],},`,
  );
  const map = labels.length > 0 ? `map[string]string{${pairs}}` : 'map[string]string{}';
  const selector = `&LabelSelector{MatchLabels:${map},MatchExpressions:[]LabelSelectorRequirement{${rules.join('')}},}`;
  return (
    `Pods selected by this PodDisruptionBudget (selector: ${selector}) were found to be unmanaged. As a result, the ` +
    'status of the PDB cannot be calculated correctly, which may result in undefined behavior. To account for these ' +
    'pods please set ".spec.minAvailable" field of the PDB to an integer value.'
  );
}

interface Counts {
  readonly expectedPods: number;
  readonly desiredHealthy: number;
}

async function podsOf(
  { client, clock }: Pick<ReconcileScope, 'client' | 'clock'>,
  { metadata, spec }: PodDisruptionBudget,
): Promise<Pod[]> {
  if (spec?.selector === undefined) return [];
  const selector = selectorOf(spec.selector);
  const pods = await client.list(Pod, { namespace: metadata.namespace });
  return await filterInTurns(clock, pods, (pod) => selector.matches(pod.metadata.labels ?? {}) && !isTerminal(pod));
}

async function countExpected(
  client: CachedClient,
  { metadata, spec }: PodDisruptionBudget,
  pods: readonly Pod[],
): Promise<Counts> {
  const { maxUnavailable, minAvailable } = spec ?? {};
  if (maxUnavailable !== undefined) {
    const expectedPods = await expectedScale(client, metadata.namespace ?? '', pods);
    return {
      expectedPods,
      desiredHealthy: Math.max(0, expectedPods - scaledValue(maxUnavailable, expectedPods, { roundUp: true })),
    };
  }
  if (typeof minAvailable === 'number') return { expectedPods: pods.length, desiredHealthy: minAvailable };
  if (minAvailable === undefined) return { expectedPods: 0, desiredHealthy: 0 };
  const expectedPods = await expectedScale(client, metadata.namespace ?? '', pods);
  return { expectedPods, desiredHealthy: scaledValue(minAvailable, expectedPods, { roundUp: true }) };
}

/** Returns the sum of the replicas that the controllers of these pods want. Ignores pods without a controller. */
async function expectedScale(client: CachedClient, namespace: string, pods: readonly Pod[]): Promise<number> {
  const scales = new Map<string, number>();
  for (const pod of pods) {
    const controller = controllerOf(pod);
    if (controller === undefined || scales.has(controller.uid)) continue;
    const found = await scaleOf(client, namespace, controller);
    if (found === undefined) throw new Error(`found no controllers for pod "${pod.metadata.name}"`);
    scales.set(found.uid, found.scale);
    scales.set(controller.uid, found.uid === controller.uid ? found.scale : 0);
  }
  return [...scales.values()].reduce((total, scale) => total + scale, 0);
}

/** Returns the granted evictions that are still pending, and when the next of them expires. */
function stillDisrupted(
  { status }: PodDisruptionBudget,
  pods: readonly Pod[],
  nowMs: number,
): { readonly disruptedPods: Record<string, string>; readonly nextMs: number | undefined } {
  const disruptedPods: Record<string, string> = {};
  let nextMs: number | undefined;
  for (const pod of pods) {
    const { name = '', deletionTimestamp } = pod.metadata;
    const since = status?.disruptedPods?.[name];
    if (deletionTimestamp !== undefined || typeof since !== 'string') continue;
    const leftMs = Date.parse(since) + DISRUPTED_MS - nowMs;
    if (leftMs <= 0) continue;
    disruptedPods[name] = since;
    nextMs = Math.min(nextMs ?? leftMs, leftMs);
  }
  return { disruptedPods, nextMs };
}

function countedStatus(
  budget: PodDisruptionBudget,
  { expectedPods, desiredHealthy }: Counts,
  currentHealthy: number,
  disruptedPods: Record<string, string>,
  nowMs: number,
): Status {
  const spare = currentHealthy - desiredHealthy;
  const disruptionsAllowed = expectedPods <= 0 || spare <= 0 ? 0 : spare;
  const words =
    disruptionsAllowed > 0
      ? { status: 'True', reason: 'SufficientPods' }
      : { status: 'False', reason: 'InsufficientPods' };
  return {
    ...(Object.keys(disruptedPods).length > 0 && { disruptedPods }),
    currentHealthy,
    desiredHealthy,
    expectedPods,
    disruptionsAllowed,
    observedGeneration: budget.metadata.generation ?? 0,
    conditions: withAllowed(
      budget,
      { ...words, message: '', observedGeneration: budget.metadata.generation ?? 0 },
      nowMs,
    ),
  };
}

/** Allows no disruptions while the expected number of pods is unknown. Keeps the last counts and their generation. */
function failSafeStatus(budget: PodDisruptionBudget, message: string, nowMs: number): Status {
  const { currentHealthy = 0, desiredHealthy = 0, expectedPods = 0, disruptedPods } = budget.status ?? {};
  const { observedGeneration } = budget.status ?? {};
  const condition = {
    status: 'False',
    reason: 'SyncFailed',
    message,
    ...(observedGeneration && { observedGeneration }),
  };
  return {
    ...(disruptedPods && { disruptedPods }),
    currentHealthy,
    desiredHealthy,
    expectedPods,
    disruptionsAllowed: 0,
    ...(observedGeneration && { observedGeneration }),
    conditions: withAllowed(budget, condition, nowMs),
  };
}

function withAllowed(
  { status }: PodDisruptionBudget,
  next: {
    readonly status: string;
    readonly reason: string;
    readonly message: string;
    readonly observedGeneration?: number;
  },
  nowMs: number,
): NonNullable<Status['conditions']> {
  const before = status?.conditions?.find(({ type }) => type === 'DisruptionAllowed');
  const others = (status?.conditions ?? []).filter(({ type }) => type !== 'DisruptionAllowed');
  const lastTransitionTime = before?.status === next.status ? before.lastTransitionTime : formatTime(nowMs);
  return [...others, { type: 'DisruptionAllowed', ...next, lastTransitionTime }] as NonNullable<Status['conditions']>;
}

async function writeStatus(client: CachedClient, budget: PodDisruptionBudget, status: Status): Promise<void> {
  if (!deepEqual(status, budget.status ?? {}))
    await client.update(PodDisruptionBudget, { ...budget, status }, { subresource: 'status' });
}

/**
 * True when the pod is the cached one. Kubernetes triggers budgets of the current pod only, not of those that no longer
 * match.
 */
function isCurrent(manager: Manager, { metadata: { namespace = '', name = '', resourceVersion } }: Pod): boolean {
  const cached = manager.informers.find(Pod)?.cache.get({ namespace, name });
  return cached === undefined || cached.metadata.resourceVersion === resourceVersion;
}

/** Returns the budgets in a pod's namespace whose selectors match its labels. */
export function budgetsOf(
  { informers, clock }: Pick<Manager, 'informers' | 'clock'>,
  { metadata: { namespace = '', labels = {} } }: KubernetesObject,
): ReturnType<typeof requestsFor> {
  const budgets = informers.find(PodDisruptionBudget)?.cache.list({ namespace }) ?? [];
  const covers = ({ spec }: (typeof budgets)[number]): boolean =>
    spec?.selector !== undefined && selectorOf(spec.selector).matches(labels);
  return requestsFor(filterInTurns(clock, budgets, covers));
}
