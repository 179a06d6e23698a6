import { hostname } from 'node:os';
import type { Clock, Random } from '@pintle/async';
import type { Client } from '@pintle/client';
import { LeaderElector } from '@pintle/client';
import { Namespace } from '@pintle/kinds/core/v1';
import { isAlreadyExists, isForbidden } from '@pintle/machinery/errors';
import type { Log } from '../controller/controller.ts';
import { errorFields } from '../controller/error-fields.ts';

export interface LeaderElectionOptions {
  /** Name of the Lease. */
  readonly name: string;
  /** Default: PINTLE_LEASE_NAMESPACE, else the namespace of the pod or of the kubeconfig's context. */
  readonly namespace?: string;
  /** Unique among the candidates. Default: the host name and a random id. */
  readonly identity?: string;
  /** Time that other candidates wait for a leader that does not renew. Default: 15 s. */
  readonly leaseDurationMs?: number;
  /** Time that a leader that cannot renew continues to lead. Default: 10 s. */
  readonly renewDeadlineMs?: number;
  /** Interval at which the leader renews and others try to acquire. Default: 2 s. */
  readonly retryPeriodMs?: number;
}

interface ElectionDependencies {
  readonly client: Client;
  readonly namespace: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  /** True for a replica that works on its part of the objects without the lease. */
  readonly isSharded: boolean;
}

const WAITS = 'Waiting for the lease: another process holds it';
const FOLLOWS = 'Working on the part of this replica; another one moves the parts, and runs what needs the lease';

export function createElector(
  { name, identity, ...timing }: LeaderElectionOptions,
  { client, namespace, clock, random, log, isSharded }: ElectionDependencies,
): LeaderElector {
  const lease = `${namespace}/${name}`;
  const own = identity ?? `${hostname()}_${random.uuid()}`;
  return new LeaderElector({
    ...timing,
    client,
    clock,
    random,
    lease: { namespace, name },
    identity: own,
    onNewLeader: (leader) => {
      if (leader !== own) log.info(isSharded ? FOLLOWS : WAITS, { lease, holder: leader });
    },
    onError: (error) => log.warn('Cannot read or write the lease', { lease, ...errorFields(error) }),
  });
}

/** Marks namespaces that Pintle created. */
const CREATED_LABELS = { 'app.kubernetes.io/managed-by': 'pintle' };

/**
 * Returns the namespace of the lease, and creates it when it is missing: an operator that is deployed there while this one
 * runs then competes for the same lease. Returns `undefined` when creating it is forbidden.
 */
export async function ensureLeaseNamespace(
  name: string,
  { client, log, signal }: { readonly client: Client; readonly log: Log; readonly signal: AbortSignal },
): Promise<string | undefined> {
  try {
    if ((await client.find(Namespace, { name }, { signal })) !== undefined) return name;
    await client.create(Namespace, { metadata: { name, labels: CREATED_LABELS } }, { signal });
    log.info('Created the namespace of the lease', { namespace: name });
    return name;
  } catch (error) {
    if (isAlreadyExists(error)) return name;
    if (!isForbidden(error)) throw error;
    log.warn('Cannot create the namespace of the lease; an operator deployed there would lead at the same time', {
      namespace: name,
      ...errorFields(error),
    });
    return undefined;
  }
}
