import type { Clock, Random } from '@pintle/async';
import {
  type CachedClient,
  type Client,
  type Interceptor,
  SharedInformers,
  type SharedInformersOptions,
} from '@pintle/client';
import type { ClusterRole, Role } from '@pintle/kinds/rbac/v1';
import type { Log } from '../controller/controller.ts';
import { errorFields } from '../controller/error-fields.ts';
import { type ManagerIdentity, Permissions } from '../permissions/permissions.ts';
import { rolesOf } from '../permissions/roles.ts';
import { ObservedClient } from '../telemetry/observed-client.ts';

interface ClusterOptions {
  /** Empty for the cluster of the manager itself. */
  readonly name: string;
  readonly client: Client;
  /** Publishes the access of this manager for `pintle observe`. Default: does not publish. */
  readonly identity?: ManagerIdentity | undefined;
  readonly interceptors: readonly Interceptor[];
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly isFrozen: boolean;
  readonly namespaces?: readonly string[] | undefined;
  /** Part of a kind's objects to receive. Default: all. */
  readonly shardOf?: SharedInformersOptions['shardOf'] | undefined;
}

/** Cluster of a manager: one client, one cache for each kind. */
export class Cluster {
  readonly name: string;
  /** Reads from caches, where the kind is cached. */
  readonly client: CachedClient;
  readonly informers: SharedInformers;
  readonly permissions: Permissions;
  readonly namespaces: readonly string[] | undefined;

  constructor(options: ClusterOptions) {
    const { name, client, identity, interceptors, clock, random, log, isFrozen, namespaces, shardOf } = options;
    this.name = name;
    this.namespaces = namespaces;
    this.permissions = new Permissions(identity);
    const live = client.intercepted(this.permissions.watch, ...interceptors);
    this.informers = new SharedInformers({
      client: live,
      clock,
      random,
      isFrozen,
      ...(namespaces && { namespaces }),
      ...(shardOf && { shardOf }),
      onError: (error, type) =>
        log.warn('Cannot list or watch objects; retrying', {
          kind: type.kind,
          ...(name !== '' && { cluster: name }),
          ...errorFields(error),
        }),
    });
    this.client = new ObservedClient(live, this.informers);
  }

  /** Returns the least ClusterRole that allows the declared access and the requests so far. */
  clusterRole({ name }: { readonly name: string }): ClusterRole {
    const rules = this.permissions.rules();
    return { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRole', metadata: { name }, rules };
  }

  /** Returns the same rights, as Roles for the namespaces that are known. */
  roles(options: { readonly name: string; readonly leaseNamespace?: string | undefined }): (ClusterRole | Role)[] {
    return rolesOf(this.permissions, { ...options, namespaces: this.namespaces });
  }
}
