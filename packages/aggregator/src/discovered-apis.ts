import type {
  CatalogResource,
  CatalogVersion,
  DiscoveryCatalog,
  RemoteDocuments,
  RemoteV2,
} from '@pintle/apiserver/discovery';
import type { APIService } from '@pintle/kinds/apiregistration/v1';
import { deepEqual, type JsonValue } from '@pintle/machinery/json';
import { remoteApiOf } from './remote-api.ts';

/** Discovery of a version, as its server last sent it. */
interface RemoteDiscovery {
  readonly resources: readonly CatalogResource[];
  readonly openApiV3?: Uint8Array;
  readonly openApiV2?: RemoteV2;
}

/** Publishes the APIs of other servers in the catalog, with their last discovery. */
export class DiscoveredApis {
  readonly #catalog: DiscoveryCatalog;
  /** By the name of the APIService. */
  readonly #discoveries = new Map<string, RemoteDiscovery>();
  readonly #published = new Map<string, CatalogVersion>();

  constructor(catalog: DiscoveryCatalog) {
    this.#catalog = catalog;
  }

  /** Records the discovery that a server sent. */
  record(name: string, discovery: RemoteDiscovery): void {
    const { resources, openApiV3, openApiV2 } = discovery;
    const known = this.#discoveries.get(name);
    const isSame = (a: unknown, b: unknown) => deepEqual(a as JsonValue, b as JsonValue);
    const sameText = known?.openApiV3 && openApiV3 && Buffer.compare(known.openApiV3, openApiV3) === 0;
    this.#discoveries.set(name, {
      resources: known && isSame(known.resources, resources) ? known.resources : resources,
      ...(openApiV3 && { openApiV3: sameText ? known.openApiV3! : openApiV3 }),
      ...(openApiV2 && { openApiV2 }),
    });
  }

  /** Publishes a remote API; one that does not respond keeps its last discovery, marked as stale. */
  publish(name: string, apiService: APIService): void {
    const api = remoteApiOf(apiService);
    if (api === undefined || apiService.spec === undefined) {
      this.withdraw(name);
      return;
    }
    const known = this.#discoveries.get(name);
    const version: CatalogVersion = {
      group: api.group,
      version: api.version,
      groupPriority: apiService.spec.groupPriorityMinimum,
      versionPriority: apiService.spec.versionPriority,
      resources: known?.resources ?? NOTHING,
      isStale: !api.isAvailable || known === undefined,
      isCustom: true,
      remote: known === undefined || !api.isAvailable ? {} : documentsOf(known),
    };
    const before = this.#published.get(name);
    if (before !== undefined && isSameVersion(before, version)) return;
    this.#published.set(name, version);
    this.#catalog.putRemote(version);
  }

  withdraw(name: string): void {
    const published = this.#published.get(name);
    this.#discoveries.delete(name);
    if (published === undefined) return;
    this.#published.delete(name);
    this.#catalog.removeRemote(published);
  }
}

function documentsOf({ openApiV3, openApiV2 }: RemoteDiscovery): RemoteDocuments {
  return { ...(openApiV3 && { openApiV3 }), ...(openApiV2 && { openApiV2 }) };
}

const NOTHING: readonly CatalogResource[] = [];

function isSameVersion(a: CatalogVersion, b: CatalogVersion): boolean {
  return (
    a.groupPriority === b.groupPriority &&
    a.versionPriority === b.versionPriority &&
    a.resources === b.resources &&
    a.isStale === b.isStale &&
    a.remote?.openApiV3 === b.remote?.openApiV3 &&
    a.remote?.openApiV2 === b.remote?.openApiV2
  );
}
