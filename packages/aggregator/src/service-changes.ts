import { collectionRange, decodeObject } from '@pintle/apiserver/storage';
import type { Runnable } from '@pintle/async';
import { runAll } from '@pintle/async';
import type { KubernetesObject } from '@pintle/machinery';
import type { KeyRange, Store } from '@pintle/store';
import { StoreError } from '@pintle/store';

export interface ServiceName {
  readonly namespace: string;
  readonly name: string;
}

interface Followed {
  readonly range: KeyRange;
  readonly kind: string;
  readonly serviceOf: (object: KubernetesObject) => string | undefined;
}

const FOLLOWED: readonly Followed[] = [
  {
    range: collectionRange({ group: '', resource: 'services' }, ''),
    kind: 'Service',
    serviceOf: ({ metadata }) => metadata.name,
  },
  {
    range: collectionRange({ group: 'discovery.k8s.io', resource: 'endpointslices' }, ''),
    kind: 'EndpointSlice',
    serviceOf: ({ metadata }) => metadata.labels?.['kubernetes.io/service-name'],
  },
];

/** Reports every service whose address may have changed; without a name, any may have. */
export class ServiceChanges implements Runnable {
  readonly #store: Store;
  readonly #onChange: (service?: ServiceName) => void;

  constructor(store: Store, onChange: (service?: ServiceName) => void) {
    this.#store = store;
    this.#onChange = onChange;
  }

  async run(options: { readonly signal: AbortSignal }): Promise<void> {
    await runAll(
      FOLLOWED.map((followed) => ({ run: ({ signal }) => this.#follow(followed, signal) })),
      options,
    );
  }

  /** Reports a change of any service when history was compacted before it was read. */
  async #follow(followed: Followed, signal: AbortSignal): Promise<void> {
    for (;;) {
      try {
        await this.#reportChanges(followed, signal);
        return;
      } catch (error) {
        if (signal.aborted) return;
        if (!(error instanceof StoreError) || error.failure.code !== 'Compacted') throw error;
        this.#onChange();
      }
    }
  }

  async #reportChanges({ range, kind, serviceOf }: Followed, signal: AbortSignal): Promise<void> {
    for await (const { events } of this.#store.watch(range, { after: this.#store.revision, signal })) {
      for (const event of events) {
        const object = decodeObject(event.type === 'put' ? event.record : event.previous, kind);
        this.#onChange({ namespace: object.metadata.namespace ?? '', name: serviceOf(object) ?? '' });
      }
    }
  }
}
