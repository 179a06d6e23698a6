import type { CachedClient } from '@pintle/client';
import { genericMergePatch } from '@pintle/client';
import type { CustomResourceDefinition } from '@pintle/kinds/apiextensions/v1';
import type { KubernetesObject, ResourceType } from '@pintle/machinery';
import { isConflict, isNotFound } from '@pintle/machinery/errors';
import type { JsonObject } from '@pintle/machinery/json';
import { deepEqual } from '@pintle/machinery/json';
import { createMergePatch } from '@pintle/machinery/patch';
import { requestKey, requestOf } from '../controller/request.ts';
import type { AppliedMemory, Saying } from './applied-memory.ts';
import { digestOf } from './applied-memory.ts';
import type { StatusDraft } from './status-draft.ts';

interface WithStatus extends KubernetesObject {
  readonly status?: { readonly observedGeneration?: number };
}

interface StatusWrite<T extends KubernetesObject> {
  readonly client: CachedClient;
  /** The newest that the reconcile knows of. */
  readonly object: T;
  readonly draft: StatusDraft;
  /** Which generation the reconcile saw. */
  readonly generation: number | undefined;
  readonly nowMs: number;
}

const STATUS = 'status';
const MAX_TRIES = 5;

/** Writes the statuses of a kind's objects: what differs, once, and only onto the state it was computed from. */
export class StatusWriter<T extends KubernetesObject> {
  readonly #type: ResourceType<T>;
  readonly #fieldManager: string;
  readonly #memory: AppliedMemory;
  /** Whether the kind's status has a place for the generation. Where nobody says, it is found out by writing one. */
  #isObserved: boolean;
  /** Kinds without the subresource have their status written with the rest. */
  #hasSubresource = true;

  constructor(type: ResourceType<T>, fieldManager: string, memory: AppliedMemory) {
    this.#type = type;
    this.#fieldManager = fieldManager;
    this.#memory = memory;
    this.#isObserved = isObservedBy(type);
  }

  /**
   * When somebody else wrote meanwhile, the draft is said again of what they wrote. An object that is gone, or another
   * of its name, needs no status. `undefined`: it is no news.
   */
  write(write: StatusWrite<T>): Promise<void> | undefined {
    const { object, draft, generation, nowMs } = write;
    const before: object = (object as WithStatus).status ?? {};
    const after = draft.after(before, { nowMs, generation, isObserved: this.#isObserved });
    return deepEqual(before, after) ? undefined : this.#writeNews(write);
  }

  async #writeNews({ client, object, draft, generation, nowMs }: StatusWrite<T>): Promise<void> {
    const { uid } = object.metadata;
    let current: T | undefined = object;
    for (let tries = 1; current !== undefined && current.metadata.uid === uid; tries++) {
      const before: object = (current as WithStatus).status ?? {};
      const after = draft.after(before, { nowMs, generation, isObserved: this.#isObserved });
      if (deepEqual(before, after) || this.#isWritten(current, after)) return;
      try {
        return await this.#patch(client, current, before, after);
      } catch (error) {
        if (!isConflict(error) && !isNotFound(error)) throw error;
        const isMissing = isNotFound(error);
        const fresh: T | undefined = await client.live.find(this.#type, refOf(object));
        if (fresh !== undefined && tries === MAX_TRIES) throw error;
        if (isMissing && fresh !== undefined) this.#hasSubresource = false;
        current = fresh;
      }
    }
  }

  async #patch(client: CachedClient, current: T, before: object, after: object): Promise<void> {
    const body = {
      metadata: { resourceVersion: current.metadata.resourceVersion },
      status: createMergePatch(before as JsonObject, after as JsonObject),
    };
    const answer: WithStatus = await client.patch(this.#type, refOf(current), genericMergePatch<T>(body), {
      fieldManager: this.#fieldManager,
      ...(this.#hasSubresource && { subresource: STATUS }),
    });
    this.#memory.remember(requestKey(requestOf(current)), STATUS, sayingOf(after), answer);
    if ('observedGeneration' in after && answer.status?.observedGeneration === undefined) this.#isObserved = false;
  }

  /** The kind has no place for some of it: the server was told, and will not remember. */
  #isWritten(current: T, after: object): boolean {
    return this.#memory.isSaid(requestKey(requestOf(current)), STATUS, sayingOf(after), current);
  }
}

function sayingOf(status: object): Saying {
  return { owner: '', tie: STATUS, digest: digestOf(status) };
}

/** Resources that are defined in code say what their status has. */
function isObservedBy(type: ResourceType & { readonly definition?: CustomResourceDefinition }): boolean {
  if (type.definition === undefined) return true;
  const { schema } = type.definition.spec.versions.find(({ name }) => name === type.version) ?? {};
  return schema?.openAPIV3Schema?.properties?.status?.properties?.observedGeneration !== undefined;
}

function refOf({ metadata: { namespace, name = '' } }: KubernetesObject): { namespace?: string; name: string } {
  return { ...(namespace !== undefined && { namespace }), name };
}
