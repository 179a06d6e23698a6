import { recordServer } from '@pintle/apiserver/registry';
import type { RequestContext, ServedResource } from '@pintle/apiserver/resource';
import { collectionRange, scanRecords, toObject } from '@pintle/apiserver/storage';
import type { Pod } from '@pintle/kinds/core/v1';
import type { PodDisruptionBudget } from '@pintle/kinds/policy/v1';
import type { StatusError } from '@pintle/machinery/errors';
import { forbiddenError, tooManyRequestsError, unclassifiedError } from '@pintle/machinery/errors';
import { compileLabelSelector } from '@pintle/machinery/selectors';
import { formatTime } from '@pintle/machinery/time';
import { isReady } from './pod-condition.ts';
import { rewriteObject } from './rewrite-object.ts';

const BUDGETS = { group: 'policy', version: 'v1', resource: 'poddisruptionbudgets' };
const VIOLATED = "Cannot evict pod as it would violate the pod's disruption budget.";
const RETRY_SECONDS = 10;
/** Evictions that the budget's controller has not seen yet. */
const MAX_DISRUPTED_PODS = 2000;

/** The budget that covers the pod; `isSpared` when the eviction does not use it. */
interface SpentBudget {
  readonly name: string;
  readonly isSpared: boolean;
}

/**
 * Takes one disruption from the budget that covers the pod, and records the pod in the budget. Returns `undefined` when
 * no budget covers it. Throws 429 when the budget is exhausted, 500 when there are several.
 */
export async function spendDisruption(
  context: RequestContext,
  pod: Pod,
  options: { readonly isDryRun: boolean },
): Promise<SpentBudget | undefined> {
  const resource = (await context.resources.find(BUDGETS))!;
  const [budget, another] = await budgetsOf(context, resource, pod);
  if (budget === undefined) return undefined;
  if (another !== undefined) {
    const why = 'This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.';
    throw unclassifiedError(500, why);
  }
  const { name = '', namespace = '' } = budget.metadata;
  if (!isReady(pod) && allowsUnready(budget)) return { name, isSpared: true };
  await rewriteObject<PodDisruptionBudget>(
    context,
    { resource, namespace, name },
    options,
    (current) => spend(current, pod.metadata.name ?? '', context.clock.now()),
    async (next, live) => await recordServer(context, { resource, subresource: 'status' }, next, live),
  );
  return { name, isSpared: false };
}

async function budgetsOf(context: RequestContext, resource: ServedResource, pod: Pod): Promise<PodDisruptionBudget[]> {
  const labels = pod.metadata.labels ?? {};
  if (Object.keys(labels).length === 0) return [];
  const range = collectionRange(resource.storage, pod.metadata.namespace ?? '');
  const found: PodDisruptionBudget[] = [];
  for await (const record of scanRecords(context.store, range, { signal: context.request.signal })) {
    const budget = toObject(resource, record) as PodDisruptionBudget;
    if (selects(budget.spec?.selector, labels)) found.push(budget);
    // One decides, and a second is an error, however many there are.
    if (found.length > 1) break;
  }
  return found;
}

/** An invalid selector selects nothing. */
function selects(selector: Parameters<typeof compileLabelSelector>[0], labels: Record<string, string>): boolean {
  try {
    return compileLabelSelector(selector).matches(labels);
  } catch {
    return false;
  }
}

/** True when the budget lets an unready pod be evicted, by its policy or because enough others are healthy. */
function allowsUnready({ spec, status }: PodDisruptionBudget): boolean {
  if (spec?.unhealthyPodEvictionPolicy === 'AlwaysAllow') return true;
  const { currentHealthy = 0, desiredHealthy = 0 } = status ?? {};
  return desiredHealthy > 0 && currentHealthy >= desiredHealthy;
}

function spend(budget: PodDisruptionBudget, podName: string, nowMs: number): void {
  const { metadata, status } = budget;
  const name = metadata.name ?? '';
  if (status === undefined || (status.observedGeneration ?? 0) < (metadata.generation ?? 0)) throw stillProcessed(name);
  const allowed = status.disruptionsAllowed ?? 0;
  if (allowed < 0) throw forbidden(name, 'pdb disruptions allowed is negative');
  if (Object.keys(status.disruptedPods ?? {}).length > MAX_DISRUPTED_PODS)
    throw forbidden(name, 'DisruptedPods map too big - too many evictions not confirmed by PDB controller');
  if (allowed === 0) throw exhausted(budget);
  status.disruptionsAllowed = allowed - 1;
  status.disruptedPods = { ...status.disruptedPods, [podName]: formatTime(nowMs) };
  if (status.disruptionsAllowed === 0) markInsufficient(budget, nowMs);
}

function markInsufficient({ metadata, status }: PodDisruptionBudget, nowMs: number): void {
  const others = (status!.conditions ?? []).filter(({ type }) => type !== 'DisruptionAllowed');
  const before = status!.conditions?.find(({ type }) => type === 'DisruptionAllowed');
  const condition = {
    type: 'DisruptionAllowed',
    status: 'False',
    observedGeneration: metadata.generation ?? 0,
    lastTransitionTime: before?.status === 'False' ? before.lastTransitionTime : formatTime(nowMs),
    reason: 'InsufficientPods',
    message: '',
  };
  status!.conditions = [...others, condition];
}

/** Returns 429: the budget's controller has not observed the latest generation. */
export function stillProcessed(name: string): StatusError {
  return violated(`The disruption budget ${name} is still being processed by the server.`, RETRY_SECONDS);
}

function exhausted({ metadata, status }: PodDisruptionBudget): StatusError {
  const condition = status?.conditions?.find(({ type }) => type === 'DisruptionAllowed');
  if (condition?.status === 'False' && condition.reason === 'SyncFailed') {
    return violated(
      `The disruption budget ${metadata.name} does not allow evicting pods currently because it failed sync: ${condition.message}`,
    );
  }
  const { desiredHealthy = 0, currentHealthy = 0 } = status ?? {};
  if (currentHealthy > desiredHealthy) {
    return violated(`The disruption budget ${metadata.name} does not allow evicting pods currently`);
  }
  return violated(
    `The disruption budget ${metadata.name} needs ${desiredHealthy} healthy pods and has ${currentHealthy} currently`,
  );
}

function violated(message: string, retryAfterSeconds?: number): StatusError {
  return tooManyRequestsError(VIOLATED, {
    causes: [{ reason: 'DisruptionBudget', message }],
    ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
  });
}

function forbidden(name: string, why: string): StatusError {
  return forbiddenError({ group: 'policy', resource: 'poddisruptionbudget' }, name, why);
}
