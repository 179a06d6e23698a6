import type { DiscoveryCatalog } from '@pintle/apiserver/discovery';
import type { LoopbackClient } from '@pintle/apiserver/request';
import type { APIService } from '@pintle/kinds/apiregistration/v1';
import { APIService as ApiServices } from '@pintle/kinds/apiregistration/v1';
import type { GroupVersion } from '@pintle/machinery';
import { isAlreadyExists, isConflict, isNotFound } from '@pintle/machinery/errors';
import { asJson, deepEqual } from '@pintle/machinery/json';
import type { ApiServiceIndex } from './api-services.ts';
import { apiServiceName } from './remote-api.ts';

const MANAGED = 'kube-aggregator.kubernetes.io/automanaged';

/** Keeps an APIService for every version that definitions serve. */
export class CustomRegistrations {
  readonly #catalog: DiscoveryCatalog;
  readonly #index: ApiServiceIndex;
  readonly #client: LoopbackClient;

  constructor(parts: {
    readonly catalog: DiscoveryCatalog;
    readonly index: ApiServiceIndex;
    readonly client: LoopbackClient;
  }) {
    this.#catalog = parts.catalog;
    this.#index = parts.index;
    this.#client = parts.client;
  }

  /** Returns the names of all APIServices that may have to be created, changed or deleted. */
  names(): Set<string> {
    const made = [...this.#catalog.locals].filter(({ isCustom }) => isCustom).map(apiServiceName);
    const managed = [...this.#index.all].filter(([, apiService]) => isManaged(apiService)).map(([name]) => name);
    return new Set([...made, ...managed]);
  }

  /** Reconciles one APIService with what is served. Leaves one that a user created alone. */
  async reconcile(name: string): Promise<void> {
    const wanted = this.#wanted(name);
    const current = this.#index.get(name);
    try {
      if (wanted !== undefined && current === undefined) await this.#client.create(ApiServices, wanted);
      else if (current === undefined || !isManaged(current)) return;
      else if (wanted === undefined) await this.#client.delete(ApiServices, '', name);
      else if (!deepEqual(asJson(current.spec), asJson(wanted.spec))) {
        await this.#client.update(ApiServices, { ...current, spec: wanted.spec! });
      }
    } catch (error) {
      // Another write was first: its event follows, and this is reconciled again.
      if (!isConflict(error) && !isNotFound(error) && !isAlreadyExists(error)) throw error;
    }
  }

  #wanted(name: string): APIService | undefined {
    const gv = groupVersionOf(name);
    const served = this.#catalog.local(gv);
    if (!served?.isCustom) return undefined;
    return {
      apiVersion: ApiServices.apiVersion,
      kind: ApiServices.kind,
      metadata: { name, labels: { [MANAGED]: 'true' } },
      spec: { ...gv, groupPriorityMinimum: served.groupPriority, versionPriority: served.versionPriority },
    };
  }
}

function isManaged({ metadata }: APIService): boolean {
  return metadata.labels?.[MANAGED] === 'true';
}

/** Returns v1 of apps for `v1.apps`; versions have no dots. */
function groupVersionOf(name: string): GroupVersion {
  const dot = name.indexOf('.');
  return { group: name.slice(dot + 1), version: name.slice(0, dot) };
}
