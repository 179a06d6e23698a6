import type { Clock, Eventual, Random } from '@pintle/async';
import type { GroupResource } from '@pintle/machinery';
import type { WriteContext } from '@pintle/machinery/rules';
import type { Store, StoreError } from '@pintle/store';
import type { Authorizer } from '../auth/authorizer.ts';
import type { ApiRequest, ApiResponse } from '../request/exchange.ts';
import type { AuditTrail, RequestState, Warnings } from '../request/pipeline.ts';
import type { ResourceRequest, Verb } from '../request/request-info.ts';
import type { ClientMemory, ResponseMemory } from '../request/response-memory.ts';
import type { UserInfo } from '../request/user-info.ts';
import type { Admission } from './admission-request.ts';
import type { ResourceRegistry } from './resource-registry.ts';
import type { ServedResource } from './served-resource.ts';
import type { YieldPolicy } from './yield-policy.ts';

/** Dependencies of endpoints. */
export interface EndpointDependencies {
  readonly store: Store;
  readonly clock: Clock;
  readonly random: Random;
  readonly resources: ResourceRegistry;
  readonly authorizer: Authorizer;
  readonly admission: Admission;
  readonly responseMemory: ResponseMemory;
  /** Called for an object that cannot be read and is skipped. */
  readonly onDamaged: (error: StoreError) => void;
  /** Absent: namespaces are in the store. */
  readonly namespaceState: NamespaceState | undefined;
  readonly shards: ShardSupport;
}

/** Support for shards of collections. */
export interface ShardSupport {
  /** False ignores shard selectors, as Kubernetes does without its feature gate `ShardedListAndWatch`. */
  readonly isEnabled: boolean;
  readonly observer: ShardObserver;
}

/** Receives what is done for shards, for metrics. */
export interface ShardObserver {
  /** Returns a function to call when the watch has ended. */
  watchBegan(resource: GroupResource): () => void;
  eventFiltered(resource: GroupResource): void;
  writeFenced(resource: GroupResource): void;
}

/** Returns the state of a namespace that another server stores; `undefined` when it does not exist. */
export type NamespaceState = (namespace: string) => Promise<'Active' | 'Terminating' | undefined>;

/** A request for a resource, with everything an endpoint needs to respond. */
export interface RequestContext extends EndpointDependencies {
  readonly request: ApiRequest;
  readonly query: URLSearchParams;
  readonly info: ResourceRequest;
  readonly resource: ServedResource;
  readonly user: UserInfo;
  readonly warnings: Warnings;
  /** Decides when the work lets other requests go first. */
  readonly yielding: YieldPolicy;
  /** Counts the memory of pending responses to this client. */
  readonly memory: ClientMemory;
  /** Takes annotations; absent when the request is not audited. */
  readonly audit: AuditTrail | undefined;
  /** Called when a watch has sent the objects that existed at its start. */
  readonly onBegun: (() => void) | undefined;
  /** For a watch that is followed: called once it follows the store. */
  readonly onFollowing: RequestState['onFollowing'];
}

/** Serves requests of one verb. */
export type Endpoint = (context: RequestContext) => Eventual<ApiResponse>;

export type Endpoints = Readonly<Partial<Record<Verb, Endpoint>>>;

/** Returns what rules may know of the request: the user and the time. */
export function writeContextOf({ clock, random, user }: RequestContext): WriteContext {
  return { nowMs: clock.now(), user, uuid: () => random.uuid() };
}
