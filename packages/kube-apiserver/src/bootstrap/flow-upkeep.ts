import { FollowedObjects } from '@pintle/apiserver/cache';
import { MANDATORY_FLOWS, MANDATORY_LEVELS } from '@pintle/apiserver/flow';
import type { LoopbackClient } from '@pintle/apiserver/request';
import { onAbort } from '@pintle/apiserver/request';
import type { Clock, Runnable } from '@pintle/async';
import { runAll } from '@pintle/async';
import type { FlowSchema, PriorityLevelConfiguration } from '@pintle/kinds/flowcontrol/v1';
import { FlowSchema as FlowSchemas, PriorityLevelConfiguration as PriorityLevels } from '@pintle/kinds/flowcontrol/v1';
import type { KubernetesObject, ResourceType } from '@pintle/machinery';
import { deepEqual } from '@pintle/machinery/json';
import { formatTime } from '@pintle/machinery/time';
import type { Store } from '@pintle/store';
import { flowUpkeep } from './flow-control.ts';

interface FlowUpkeepOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly client: LoopbackClient;
}

const RETRY_MS = 1_000;
/** Field manager of the conditions, as in Kubernetes. */
const MANAGER = 'api-priority-and-fairness-config-consumer-v1';

/** Sets in each FlowSchema whether its priority level exists, and restores mandatory objects. */
export class FlowUpkeep implements Runnable {
  readonly #clock: Clock;
  readonly #client: LoopbackClient;
  readonly #schemas: FollowedObjects<FlowSchema>;
  readonly #levels: FollowedObjects<PriorityLevelConfiguration>;
  #isChanged = true;
  #wake: (() => void) | undefined;

  constructor({ store, clock, client }: FlowUpkeepOptions) {
    this.#clock = clock;
    this.#client = client;
    this.#schemas = new FollowedObjects(store, FlowSchemas, { onChange: () => this.#change() });
    this.#levels = new FollowedObjects(store, PriorityLevels, { onChange: () => this.#change() });
  }

  async load(): Promise<void> {
    await this.#schemas.load();
    await this.#levels.load();
  }

  async run({ signal }: { readonly signal: AbortSignal }): Promise<void> {
    await runAll([this.#schemas, this.#levels, { run: (options) => this.#reconcileForever(options.signal) }], {
      signal,
    });
  }

  /** Tries again after a conflict. */
  async #reconcileForever(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      if (!this.#isChanged) await this.#changed(signal);
      this.#isChanged = false;
      try {
        if (!signal.aborted) await this.#reconcile();
      } catch {
        this.#isChanged = true;
        await this.#clock.sleep(RETRY_MS, { signal });
      }
    }
  }

  async #reconcile(): Promise<void> {
    await this.#restoreMandatory(PriorityLevels, this.#levels.known, MANDATORY_LEVELS);
    await this.#restoreMandatory(FlowSchemas, this.#schemas.known, MANDATORY_FLOWS);
    const names = new Set(this.#levels.known.map(({ metadata }) => metadata.name));
    for (const schema of this.#schemas.known) {
      const level = schema.spec?.priorityLevelConfiguration.name ?? '';
      const condition = danglingOf(level, names.has(level), this.#clock.now());
      const known = schema.status?.conditions?.find(({ type }) => type === condition.type);
      if (known?.status === condition.status && known.message === condition.message) continue;
      const configuration = { metadata: { name: schema.metadata.name ?? '' }, status: { conditions: [condition] } };
      await this.#client.apply(FlowSchemas, configuration, { fieldManager: MANAGER, subresource: 'status' });
    }
  }

  async #restoreMandatory<T extends KubernetesObject>(
    type: ResourceType<T>,
    known: readonly T[],
    mandatory: readonly T[],
  ): Promise<void> {
    for (const wanted of mandatory) {
      const stored = known.find(({ metadata }) => metadata.name === wanted.metadata.name);
      if (stored === undefined) await this.#client.create(type, wanted);
      else {
        const next = flowUpkeep(stored, wanted);
        if (next !== undefined && !deepEqual(next, stored)) await this.#client.update(type, next as T);
      }
    }
  }

  #change(): void {
    this.#isChanged = true;
    this.#wake?.();
  }

  #changed(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const unlisten = onAbort(signal, () => this.#wake?.());
      this.#wake = () => {
        this.#wake = undefined;
        unlisten();
        resolve();
      };
    });
  }
}

function danglingOf(level: string, isThere: boolean, nowMs: number) {
  const reference = `This FlowSchema references the PriorityLevelConfiguration object named "${level}"`;
  return {
    type: 'Dangling',
    status: isThere ? 'False' : 'True',
    lastTransitionTime: formatTime(nowMs),
    reason: isThere ? 'Found' : 'NotFound',
    message: isThere ? `${reference} and it exists` : `${reference} but there is no such object`,
  };
}
