import type { LoopbackClient } from '@pintle/apiserver/request';
import { decodeObject, objectKey } from '@pintle/apiserver/storage';
import type { Clock } from '@pintle/async';
import { BoundedCache } from '@pintle/async';
import { Secret } from '@pintle/kinds/core/v1';
import { isConflict, isNotFound } from '@pintle/machinery/errors';
import { formatTime } from '@pintle/machinery/time';
import type { Store } from '@pintle/store';

const LAST_USED = 'kubernetes.io/legacy-token-last-used';
const MAX_KNOWN = 4096;

/** Labels Secrets with the date when their token was last used, once a day, so that unused ones can be found. */
export class LegacyTokenUse {
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #client: LoopbackClient;
  readonly #days = new BoundedCache<string>(MAX_KNOWN);

  constructor(options: { readonly store: Store; readonly clock: Clock; readonly client: LoopbackClient }) {
    this.#store = options.store;
    this.#clock = options.clock;
    this.#client = options.client;
  }

  /** Ignores conflicts: the next use labels the Secret. */
  async note(namespace: string, name: string): Promise<void> {
    const key = objectKey({ group: '', resource: 'secrets' }, namespace, name);
    const today = formatTime(this.#clock.now()).slice(0, 10);
    if (this.#days.get(key) === today) return;
    this.#days.set(key, today);
    const record = await this.#store.get(key);
    if (record === undefined) return;
    const secret = decodeObject(record, Secret.kind) as Secret;
    const { labels } = secret.metadata;
    if (labels?.[LAST_USED] === today) return;
    try {
      await this.#client.update(Secret, {
        ...secret,
        metadata: { ...secret.metadata, labels: { ...labels, [LAST_USED]: today } },
      });
    } catch (error) {
      if (!isConflict(error) && !isNotFound(error)) throw error;
      this.#days.set(key, '');
    }
  }
}
