import type { TokenRequest } from '@pintle/kinds/authentication/v1';
import type { Scale } from '@pintle/kinds/autoscaling/v1';
import { Pod, ServiceAccount } from '@pintle/kinds/core/v1';
import type { ResourceType } from '@pintle/machinery';
import type { Client } from './client.ts';
import type { CallOptions, DeleteOptions, GetOptions, WriteOptions } from './options.ts';
import { queryOf } from './options.ts';
import type { ObjectRef } from './resource-path.ts';
import { resourcePath } from './resource-path.ts';

/** Reads the desired and current replicas. */
export async function getScale(
  client: Client,
  type: ResourceType,
  ref: ObjectRef,
  options?: GetOptions,
): Promise<Scale> {
  return (await client.get(type, ref, { ...options, subresource: 'scale' })) as Scale;
}

export async function setScale(
  client: Client,
  type: ResourceType,
  ref: ObjectRef,
  replicas: number,
  options?: Omit<WriteOptions, 'subresource'>,
): Promise<Scale> {
  const patch = { type: 'merge', body: { spec: { replicas } } } as const;
  return (await client.patch(type, ref, patch, { ...options, subresource: 'scale' })) as Scale;
}

/** Creates a token of a service account; the result also has its expiry time. */
export async function createToken(
  client: Client,
  serviceAccount: ObjectRef,
  spec: Partial<TokenRequest['spec']> = {},
  options: CallOptions = {},
): Promise<NonNullable<TokenRequest['status']>> {
  const body = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', metadata: {}, spec };
  const path = resourcePath(ServiceAccount, { ...serviceAccount, subresource: 'token' });
  const answer = (await post(client, path, body, options)) as TokenRequest;
  return answer.status!;
}

/**
 * Evicts a pod, if disruption budgets allow it. When they do not, rejects with a 429; check with `isTooManyRequests`.
 */
export async function evict(
  client: Client,
  pod: ObjectRef,
  { signal, timeoutMs, dryRun, ...deleteOptions }: DeleteOptions = {},
): Promise<void> {
  const body = {
    apiVersion: 'policy/v1',
    kind: 'Eviction',
    metadata: { ...pod },
    ...(Object.keys(deleteOptions).length > 0 && { deleteOptions }),
  };
  const options = { ...(signal && { signal }), ...(timeoutMs !== undefined && { timeoutMs }) };
  await post(client, resourcePath(Pod, { ...pod, subresource: 'eviction' }), body, options, queryOf({ dryRun }));
}

/** Binds a pod to a node, as a scheduler does. Rejects with a 409 when the pod already has a node. */
export async function bind(client: Client, pod: ObjectRef, node: string, options: CallOptions = {}): Promise<void> {
  const target = { apiVersion: 'v1', kind: 'Node', name: node };
  const body = { apiVersion: 'v1', kind: 'Binding', metadata: { ...pod }, target };
  await post(client, resourcePath(Pod, { ...pod, subresource: 'binding' }), body, options);
}

function post(client: Client, path: string, body: object, options: CallOptions, query = ''): Promise<unknown> {
  const headers = { 'content-type': 'application/json' };
  return client.call({ method: 'POST', path, query, headers, body: Buffer.from(JSON.stringify(body)) }, options);
}
