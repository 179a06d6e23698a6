import type { Clock, Random } from '@pintle/async';
import { CachedClient, type Client, type Interceptor, SharedInformers } from '@pintle/client';
import type { ClusterRole, Role } from '@pintle/kinds/rbac/v1';
import type { Log } from '../controller/controller.ts';
import { errorFields } from '../controller/error-fields.ts';
import { Permissions, type Requester } from '../permissions/permissions.ts';
import { rolesOf } from '../permissions/roles.ts';

interface ClusterOptions {
  /** Empty for the manager's own. */
  readonly name: string;
  readonly client: Client;
  /** Whose requests others hear of. Default: nobody's. */
  readonly requester?: Requester | undefined;
  readonly interceptors: readonly Interceptor[];
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly isFrozen: boolean;
  readonly namespaces?: readonly string[] | undefined;
}

/** A cluster that a manager works with: one client, one cache for each kind. */
export class Cluster {
  readonly name: string;
  /** Reads from caches where there are some. */
  readonly client: CachedClient;
  readonly informers: SharedInformers;
  readonly permissions: Permissions;
  readonly namespaces: readonly string[] | undefined;

  constructor({ name, client, requester, interceptors, clock, random, log, isFrozen, namespaces }: ClusterOptions) {
    this.name = name;
    this.namespaces = namespaces;
    this.permissions = new Permissions(requester);
    const live = client.intercepted(this.permissions.watch, ...interceptors);
    this.informers = new SharedInformers({
      client: live,
      clock,
      random,
      isFrozen,
      ...(namespaces && { namespaces }),
      onError: (error, type) =>
        log.warn('Could not list or watch objects: trying again', {
          kind: type.kind,
          ...(name !== '' && { cluster: name }),
          ...errorFields(error),
        }),
    });
    this.client = new CachedClient(live, this.informers);
  }

  /** The least that allows what was declared and what was done so far. */
  clusterRole({ name }: { readonly name: string }): ClusterRole {
    const rules = this.permissions.rules();
    return { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRole', metadata: { name }, rules };
  }

  /** The same, in roles of namespaces as far as it is known which matter. */
  roles(options: { readonly name: string; readonly leaseNamespace?: string | undefined }): (ClusterRole | Role)[] {
    return rolesOf(this.permissions, { ...options, namespaces: this.namespaces });
  }
}
