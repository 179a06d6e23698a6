import { type Clock, Turns } from '@pintle/async';
import type { CachedClient } from '@pintle/client';
import type { MetricStatus } from '@pintle/kinds/autoscaling/v2';
import { HorizontalPodAutoscaler } from '@pintle/kinds/autoscaling/v2';
import { Pod } from '@pintle/kinds/core/v1';
import type { ResourceType } from '@pintle/machinery';
import type { CompiledLabelSelector } from '@pintle/machinery/selectors';
import { parseLabelSelector } from '@pintle/machinery/selectors';
import type { Controller, Manager, Request, Result } from '@pintle/operator';
import { filterInTurns } from '../common/filter-in-turns.ts';
import { eventRecorder } from '../common/record-event.ts';
import { apiMetricsSource } from './api-metrics-source.ts';
import { computeReplicasForMetric, MetricError, tolerancesOf } from './compute-replicas-for-metric.ts';
import type { MetricsSource } from './metrics-source.ts';
import type { Scale } from './scale-target.ts';
import { readScale, targetType, writeScale } from './scale-target.ts';
import { limitReplicas, ScalingHistory } from './scaling-history.ts';
import { StatusDraft } from './status.ts';

/** Interval between two syncs of an autoscaler, however often it changes. */
const PERIOD_MS = 15_000;

/** Scales targets to the number of replicas that their metrics ask for. */
export function addHorizontalPodAutoscaler(
  manager: Manager,
  { metrics = apiMetricsSource(manager.client.live) }: { readonly metrics?: MetricsSource } = {},
): Controller {
  const record = eventRecorder(manager, 'horizontal-pod-autoscaler');
  const states = new Map<string, AutoscalerState>();
  return manager
    .controller(HorizontalPodAutoscaler, 'horizontal-pod-autoscaler')
    .watches(Pod, () => [])
    .options({ concurrency: 5 })
    .reconcileRequests(async (request, { client, clock }) => {
      const key = `${request.namespace}/${request.name}`;
      const autoscaler = await client.find(HorizontalPodAutoscaler, request);
      if (autoscaler === undefined) return void states.delete(key);
      const nowMs = clock.now();
      const state = states.get(key) ?? newState(request, nowMs);
      states.set(key, state);
      if (nowMs < state.dueMs) return { requeueAfterMs: state.dueMs - nowMs } satisfies Result;
      state.dueMs = nowMs + PERIOD_MS;
      const recordEvent: RecordAutoscalerEvent = (type, reason, message) =>
        record(HorizontalPodAutoscaler, autoscaler, { type, reason, message });
      const draft = new StatusDraft(autoscaler, nowMs);
      const { history } = state;
      const overlappingFor = overlappingAmong(state, states, clock);
      await autoscale({ client, autoscaler, metrics, history, overlappingFor, draft, recordEvent, nowMs });
      await draft.write(client);
      return { requeueAfterMs: PERIOD_MS } satisfies Result;
    });
}

/** State of an autoscaler that is kept between syncs. */
interface AutoscalerState {
  readonly namespace: string;
  readonly name: string;
  readonly history: ScalingHistory;
  dueMs: number;
  /** Selector of the pods that it scales, once known. */
  selector?: CompiledLabelSelector;
}

function newState({ namespace = '', name }: Request, nowMs: number): AutoscalerState {
  return { namespace, name, history: new ScalingHistory(), dueMs: nowMs + PERIOD_MS };
}

/** Returns the autoscalers that scale some of these pods, the caller included. More than one is an error. */
type OverlappingFor = (selector: CompiledLabelSelector, pods: readonly Pod[]) => Promise<readonly AutoscalerState[]>;

function overlappingAmong(
  state: AutoscalerState,
  states: ReadonlyMap<string, AutoscalerState>,
  clock: Clock,
): OverlappingFor {
  return async (selector, pods) => {
    state.selector = selector;
    const turns = new Turns(clock);
    const overlapping: AutoscalerState[] = [];
    for (const other of states.values()) {
      if (other.namespace !== state.namespace) continue;
      for (const { metadata } of pods) {
        const turn = turns.next();
        if (turn !== undefined) await turn;
        if (!other.selector?.matches(metadata.labels ?? {})) continue;
        overlapping.push(other);
        break;
      }
    }
    return overlapping;
  };
}

type RecordAutoscalerEvent = (type: 'Normal' | 'Warning', reason: string, message: string) => void;

interface AutoscalerSync {
  readonly client: CachedClient;
  readonly autoscaler: HorizontalPodAutoscaler;
  readonly metrics: MetricsSource;
  readonly history: ScalingHistory;
  readonly overlappingFor: OverlappingFor;
  readonly draft: StatusDraft;
  readonly recordEvent: RecordAutoscalerEvent;
  readonly nowMs: number;
}

interface Target {
  readonly type: ResourceType;
  readonly ref: { readonly namespace: string; readonly name: string };
  readonly scale: Scale;
}

/** Desired number of replicas and the reason for the event. */
interface Decision {
  readonly replicas: number;
  readonly reason: string;
  readonly metrics?: readonly MetricStatus[];
}

async function autoscale(sync: AutoscalerSync): Promise<void> {
  const { autoscaler, draft, history, nowMs } = sync;
  const target = await findTarget(sync);
  if (target === undefined) return;
  const current = target.scale.spec?.replicas ?? 0;
  history.recordInitial(current, nowMs);
  const { minReplicas = 1, maxReplicas = 1 } = autoscaler.spec ?? {};
  if (current === 0) {
    draft.set(
      'ScalingActive',
      'False',
      'ScalingDisabled',
      'scaling is disabled since the replica count of the target is zero',
    );
    return draft.count(0, 0, undefined);
  }
  if (current > maxReplicas)
    return await rescale(sync, target, {
      replicas: maxReplicas,
      reason: 'Current number of replicas above Spec.MaxReplicas',
    });
  if (current < minReplicas)
    return await rescale(sync, target, {
      replicas: minReplicas,
      reason: 'Current number of replicas below Spec.MinReplicas',
    });
  const decision = await decide(sync, target.scale, current);
  if (decision === undefined) return;
  if (decision.replicas === current) draft.count(current, current, decision.metrics);
  else await rescale(sync, target, decision);
}

async function findTarget({ client, autoscaler, draft, recordEvent }: AutoscalerSync): Promise<Target | undefined> {
  const { namespace = '' } = autoscaler.metadata;
  const reference = autoscaler.spec!.scaleTargetRef;
  const ref = { namespace, name: reference.name };
  try {
    const type = await targetType(client, reference);
    const scale = await readScale(client, type, ref);
    draft.set(
      'AbleToScale',
      'True',
      'SucceededGetScale',
      "the HPA controller was able to get the target's current scale",
    );
    return { type, ref, scale };
  } catch (error) {
    const why = messageOf(error);
    recordEvent('Warning', 'FailedGetScale', why);
    draft.set(
      'AbleToScale',
      'False',
      'FailedGetScale',
      `the HPA controller was unable to get the target's current scale: ${why}`,
    );
    return undefined;
  }
}

/** Returns the number of replicas that metrics ask for, within bounds; `undefined` when they are not valid. */
async function decide(sync: AutoscalerSync, scale: Scale, current: number): Promise<Decision | undefined> {
  const { autoscaler, draft, history, recordEvent, nowMs } = sync;
  const result = await computeReplicasForMetrics(sync, scale);
  if (result.error !== undefined) {
    draft.count(current, draft.desiredReplicas, result.statuses);
    recordEvent('Warning', 'FailedComputeMetricsReplicas', result.error);
    return undefined;
  }
  const { replicas: desired, metric } = result;
  const { replicas, stability, limit: bound } = limitReplicas(autoscaler, history, { current, desired, nowMs });
  draft.set('AbleToScale', 'True', stability.reason, stability.message);
  draft.set('ScalingLimited', bound.isLimited ? 'True' : 'False', bound.reason, bound.message);
  const reason = desired > current ? `${metric} above target` : desired < current ? 'All metrics below target' : '';
  return { replicas, reason, metrics: result.statuses };
}

type MetricsResult =
  | {
      readonly replicas: number;
      readonly metric: string;
      readonly statuses: readonly MetricStatus[];
      readonly error?: never;
    }
  | { readonly error: string; readonly statuses: readonly MetricStatus[] | undefined };

/**
 * Returns the largest number of replicas that a metric asks for. A metric that fails prevents scaling down but not up.
 */
async function computeReplicasForMetrics(sync: AutoscalerSync, scale: Scale): Promise<MetricsResult> {
  const { autoscaler, client, draft, recordEvent } = sync;
  const { namespace = '' } = autoscaler.metadata;
  const selector = scale.status?.selector ?? '';
  if (selector === '') {
    recordEvent('Warning', 'SelectorRequired', 'selector is required');
    draft.set('ScalingActive', 'False', 'InvalidSelector', "the HPA target's scale is missing a selector");
    return { error: 'selector is required', statuses: undefined };
  }
  const parsed = parseLabelSelector(selector);
  const pods = await filterInTurns(client.live.clock, await client.list(Pod, { namespace }), ({ metadata }) =>
    parsed.matches(metadata.labels ?? {}),
  );
  const overlapping = await sync.overlappingFor(parsed, pods);
  if (overlapping.length > 1) {
    const keys = overlapping.map(({ name, namespace: where }) => `${where}/${name}`);
    const error = `pods by selector ${selector} are controlled by multiple HPAs: [${keys.join(' ')}]`;
    recordEvent('Warning', 'AmbiguousSelector', error);
    draft.set('ScalingActive', 'False', 'AmbiguousSelector', error);
    return { error, statuses: undefined };
  }
  const specReplicas = scale.spec?.replicas ?? 0;
  const context = {
    source: sync.metrics,
    namespace,
    selector,
    pods,
    specReplicas,
    statusReplicas: scale.status?.replicas ?? 0,
    tolerances: tolerancesOf(autoscaler),
    nowMs: sync.nowMs,
  };
  const specs = autoscaler.spec?.metrics ?? [];
  const statuses: MetricStatus[] = [];
  const failures: MetricError[] = [];
  let most = { replicas: 0, metric: '' };
  for (const spec of specs) {
    try {
      const { replicas, metric, status } = await computeReplicasForMetric(spec, context);
      statuses.push(status);
      if (most.replicas === 0 || replicas > most.replicas) most = { replicas, metric };
    } catch (error) {
      if (!(error instanceof MetricError)) throw error;
      statuses.push({ type: '' });
      recordEvent('Warning', error.reason, error.condition);
      failures.push(error);
    }
  }
  const [first] = failures;
  if (first !== undefined && (failures.length >= specs.length || most.replicas < specReplicas)) {
    draft.set(
      'ScalingActive',
      'False',
      first.reason,
      `the HPA was unable to compute the replica count: ${first.condition}`,
    );
    const error = `invalid metrics (${failures.length} invalid out of ${specs.length}), first error is: ${first.message}`;
    return { error, statuses };
  }
  const found = `the HPA was able to successfully calculate a replica count from ${most.metric}`;
  draft.set('ScalingActive', 'True', 'ValidMetricFound', found);
  return { ...most, statuses };
}

async function rescale(sync: AutoscalerSync, { type, ref, scale }: Target, decision: Decision): Promise<void> {
  const { client, draft, history, recordEvent, nowMs } = sync;
  const { replicas, reason, metrics } = decision;
  const current = scale.spec?.replicas ?? 0;
  try {
    await writeScale(client, type, ref, replicas);
  } catch (error) {
    const why = messageOf(error);
    recordEvent('Warning', 'FailedRescale', `New size: ${replicas}; reason: ${reason}; error: ${why}`);
    draft.set(
      'AbleToScale',
      'False',
      'FailedUpdateScale',
      `the HPA controller was unable to update the target scale: ${why}`,
    );
    return draft.count(current, draft.desiredReplicas, metrics);
  }
  draft.set(
    'AbleToScale',
    'True',
    'SucceededRescale',
    `the HPA controller was able to update the target scale to ${replicas}`,
  );
  recordEvent('Normal', 'SuccessfulRescale', `New size: ${replicas}; reason: ${reason}`);
  history.recordScaleEvent(replicas - current, nowMs);
  draft.count(current, replicas, metrics, true);
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
