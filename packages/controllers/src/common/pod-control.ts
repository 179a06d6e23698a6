import type { CachedClient, NewObject } from '@pintle/client';
import { Pod } from '@pintle/kinds/core/v1';
import type { KubernetesObject, ResourceType } from '@pintle/machinery';
import { isForbidden, statusErrorOf } from '@pintle/machinery/errors';
import type { RecordEvent } from './record-event.ts';

/** Creates and deletes pods of an owner and records events about it. */
export class PodControl {
  readonly #client: CachedClient;
  readonly #record: RecordEvent;
  readonly #type: ResourceType;
  readonly #owner: KubernetesObject;
  readonly #throttle: () => Promise<void>;

  constructor(options: {
    readonly client: CachedClient;
    readonly record: RecordEvent;
    readonly type: ResourceType;
    readonly owner: KubernetesObject;
    /** Resolves when the next pod may be created. Default: at once. */
    readonly throttle?: () => Promise<void>;
  }) {
    this.#client = options.client;
    this.#record = options.record;
    this.#type = options.type;
    this.#owner = options.owner;
    this.#throttle = options.throttle ?? (async () => undefined);
  }

  /** Ignores that the namespace is terminating. */
  async create(pod: NewObject<Pod>): Promise<void> {
    await this.#throttle();
    try {
      const made = await this.#client.create(Pod, pod);
      this.recordEvent('Normal', 'SuccessfulCreate', `Created pod: ${made.metadata.name}`);
    } catch (error) {
      if (isTerminatingNamespace(error)) return;
      this.recordEvent(
        'Warning',
        'FailedCreate',
        `Error creating: ${error instanceof Error ? error.message : String(error)}`,
      );
      throw error;
    }
  }

  async delete(pod: Pod): Promise<void> {
    try {
      if (await this.#client.delete(Pod, pod))
        this.recordEvent('Normal', 'SuccessfulDelete', `Deleted pod: ${pod.metadata.name}`);
    } catch (error) {
      this.recordEvent(
        'Warning',
        'FailedDelete',
        `Error deleting: ${error instanceof Error ? error.message : String(error)}`,
      );
      throw error;
    }
  }

  recordEvent(type: 'Normal' | 'Warning', reason: string, message: string): void {
    this.#record(this.#type, this.#owner, { type, reason, message });
  }
}

export function isTerminatingNamespace(error: unknown): boolean {
  return (
    isForbidden(error) &&
    (statusErrorOf(error)?.causes.some(({ reason }) => reason === 'NamespaceTerminating') ?? false)
  );
}
