import type { Clock, Eventual, Random } from '@pintle/async';
import type { WriteContext } from '@pintle/machinery/rules';
import type { Store, StoreError } from '@pintle/store';
import type { Authorizer } from '../auth/authorizer.ts';
import type { ApiRequest, ApiResponse } from '../request/exchange.ts';
import type { AuditTrail, Warnings } from '../request/pipeline.ts';
import type { ResourceRequest, Verb } from '../request/request-info.ts';
import type { ClientMemory, ResponseMemory } from '../request/response-memory.ts';
import type { UserInfo } from '../request/user-info.ts';
import type { Admission } from './admission-request.ts';
import type { ResourceRegistry } from './resource-registry.ts';
import type { ServedResource } from './served-resource.ts';
import type { YieldPolicy } from './yield-policy.ts';

/** What endpoints are built on. */
export interface Foundation {
  readonly store: Store;
  readonly clock: Clock;
  readonly random: Random;
  readonly resources: ResourceRegistry;
  readonly authorizer: Authorizer;
  readonly admission: Admission;
  readonly responseMemory: ResponseMemory;
  /** Told of an object that cannot be read, by somebody who goes on without it. */
  readonly onDamaged: (error: StoreError) => void;
  /** Absent: namespaces are in the store. */
  readonly namespaceState: NamespaceState | undefined;
}

/** How a namespace is that another server keeps; `undefined` when there is none of that name. */
export type NamespaceState = (namespace: string) => Promise<'Active' | 'Terminating' | undefined>;

/** A request for a resource, with everything an endpoint needs to answer it. */
export interface EndpointCall extends Foundation {
  readonly request: ApiRequest;
  readonly query: URLSearchParams;
  readonly info: ResourceRequest;
  readonly resource: ServedResource;
  readonly user: UserInfo;
  readonly warnings: Warnings;
  /** Decides when the work lets other requests go first. */
  readonly yielding: YieldPolicy;
  /** Counts the memory that the answers to this client hold. */
  readonly memory: ClientMemory;
  /** Takes notes while the request is audited. */
  readonly audit: AuditTrail | undefined;
  /** Told when a watch has sent what there was when it began. */
  readonly onBegun: (() => void) | undefined;
}

/** Answers requests of one verb. */
export type Endpoint = (call: EndpointCall) => Eventual<ApiResponse>;

export type Endpoints = Readonly<Partial<Record<Verb, Endpoint>>>;

/** What rules may know of the request: who writes, and when. */
export function writeContextOf({ clock, random, user }: EndpointCall): WriteContext {
  return { nowMs: clock.now(), user, uuid: () => random.uuid() };
}
