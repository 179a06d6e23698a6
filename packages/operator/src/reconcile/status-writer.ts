import type { CachedClient } from '@pintle/client';
import { genericMergePatch } from '@pintle/client';
import type { CustomResourceDefinition } from '@pintle/kinds/apiextensions/v1';
import type { KubernetesObject, ResourceType } from '@pintle/machinery';
import { isConflict, isNotFound } from '@pintle/machinery/errors';
import type { JsonObject } from '@pintle/machinery/json';
import { deepEqual } from '@pintle/machinery/json';
import { createMergePatch } from '@pintle/machinery/patch';
import { requestKey, requestOf } from '../controller/request.ts';
import { currentRecording } from '../telemetry/recording.ts';
import type { AppliedConfiguration, ApplyCache } from './apply-cache.ts';
import { digestOf, STATUS } from './apply-cache.ts';
import type { StatusDraft } from './status-draft.ts';

interface WithStatus extends KubernetesObject {
  readonly status?: { readonly observedGeneration?: number };
}

interface StatusWrite<T extends KubernetesObject> {
  readonly client: CachedClient;
  /** Newest state that the reconcile knows. */
  readonly object: T;
  readonly draft: StatusDraft;
  /** Generation of the reconciled object. */
  readonly generation: number | undefined;
  readonly nowMs: number;
}

const MAX_TRIES = 5;

/** Writes the statuses of a kind's objects: only differences, and only onto the state they were computed from. */
export class StatusWriter<T extends KubernetesObject> {
  readonly #type: ResourceType<T>;
  readonly #fieldManager: string;
  readonly #applyCache: ApplyCache;
  /** True when the status has `observedGeneration`. For kinds without a definition in code, the first write finds out. */
  #setsObservedGeneration: boolean;
  /** False for kinds without the status subresource, whose status is written with the object. */
  #hasSubresource = true;

  constructor(type: ResourceType<T>, fieldManager: string, applyCache: ApplyCache) {
    this.#type = type;
    this.#fieldManager = fieldManager;
    this.#applyCache = applyCache;
    this.#setsObservedGeneration = hasObservedGeneration(type);
  }

  /**
   * After a conflict, applies the draft to the new state of the object. Ends when the object is gone or was replaced, or when its
   * status is of a newer generation than the draft: a later reconcile knows more. Returns `undefined` when nothing differs.
   */
  write(write: StatusWrite<T>): Promise<void> | undefined {
    const { object, draft, generation, nowMs } = write;
    const before: object = (object as WithStatus).status ?? {};
    const after = draft.after(before, { nowMs, generation, setsObservedGeneration: this.#setsObservedGeneration });
    if (!deepEqual(before, after)) return this.#writeChanged(write);
    currentRecording()?.suppressed('patch', this.#type, object.metadata, STATUS);
    return undefined;
  }

  async #writeChanged({ client, object, draft, generation, nowMs }: StatusWrite<T>): Promise<void> {
    const { uid } = object.metadata;
    let current: T | undefined = object;
    for (let tries = 1; current !== undefined && current.metadata.uid === uid; tries++) {
      const before: object = (current as WithStatus).status ?? {};
      const after = draft.after(before, { nowMs, generation, setsObservedGeneration: this.#setsObservedGeneration });
      if (deepEqual(before, after) || this.#isWritten(current, after)) {
        currentRecording()?.suppressed('patch', this.#type, current.metadata, STATUS);
        return;
      }
      try {
        return await this.#patch(client, current, before, after);
      } catch (error) {
        if (!isConflict(error) && !isNotFound(error)) throw error;
        const isMissing = isNotFound(error);
        const fresh: T | undefined = await client.live.find(this.#type, refOf(object));
        if (fresh !== undefined && tries === MAX_TRIES) throw error;
        if (isMissing && fresh !== undefined) this.#hasSubresource = false;
        current = fresh;
        if (this.#setsObservedGeneration && observedGenerationOf(fresh) > (generation ?? Number.POSITIVE_INFINITY))
          return;
      }
    }
  }

  async #patch(client: CachedClient, current: T, before: object, after: object): Promise<void> {
    const body = {
      metadata: { resourceVersion: current.metadata.resourceVersion },
      status: createMergePatch(before as JsonObject, after as JsonObject),
    };
    const response: WithStatus = await client.patch(this.#type, refOf(current), genericMergePatch<T>(body), {
      fieldManager: this.#fieldManager,
      ...(this.#hasSubresource && { subresource: STATUS }),
    });
    this.#applyCache.remember(requestKey(requestOf(current)), STATUS, configurationOf(after), response);
    if ('observedGeneration' in after && response.status?.observedGeneration === undefined)
      this.#setsObservedGeneration = false;
  }

  /** True when this status was already sent: the kind lacks some of its fields, and the server dropped them. */
  #isWritten(current: T, after: object): boolean {
    return this.#applyCache.isUpToDate(requestKey(requestOf(current)), STATUS, configurationOf(after), current);
  }
}

function observedGenerationOf(object: WithStatus | undefined): number {
  return object?.status?.observedGeneration ?? 0;
}

function configurationOf(status: object): AppliedConfiguration {
  return { owner: '', mode: STATUS, digest: digestOf(status) };
}

/** Reads the schema of resources that are defined in code; true for others. */
function hasObservedGeneration(type: ResourceType & { readonly definition?: CustomResourceDefinition }): boolean {
  if (type.definition === undefined) return true;
  const { schema } = type.definition.spec.versions.find(({ name }) => name === type.version) ?? {};
  return schema?.openAPIV3Schema?.properties?.status?.properties?.observedGeneration !== undefined;
}

function refOf({ metadata: { namespace, name = '' } }: KubernetesObject): { namespace?: string; name: string } {
  return { ...(namespace !== undefined && { namespace }), name };
}
