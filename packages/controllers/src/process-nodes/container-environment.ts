import type { CachedClient } from '@pintle/client';
import type { Container, EnvVar, Pod } from '@pintle/kinds/core/v1';
import { ConfigMap, Secret } from '@pintle/kinds/core/v1';

/** Variables of the host that every command gets, such as PATH. */
export type MachineEnvironment = Readonly<Record<string, string>>;

/** Returns the environment of a container, with values from ConfigMaps, Secrets and fields of the pod. */
export async function environmentOf(
  client: CachedClient,
  machine: MachineEnvironment,
  pod: Pod,
  container: Container,
): Promise<Record<string, string>> {
  const env = new Map<string, string>([...Object.entries(machine), ['HOSTNAME', pod.metadata.name ?? '']]);
  for (const { prefix = '', configMapRef, secretRef } of container.envFrom ?? []) {
    const source = configMapRef ?? secretRef;
    const data = configMapRef
      ? await configOf(client, pod, configMapRef.name)
      : await secretOf(client, pod, secretRef?.name);
    if (data === undefined && !source?.optional) throw missing(configMapRef ? 'configmap' : 'secret', source?.name);
    for (const [key, value] of Object.entries(data ?? {})) env.set(`${prefix}${key}`, value);
  }
  for (const variable of container.env ?? []) {
    const value = await variableOf(client, pod, variable);
    if (value !== undefined) env.set(variable.name, expand(value, env));
  }
  return Object.fromEntries(env);
}

/** More than a system gives a process, all arguments and variables together. */
const MAX_EXPANDED = 2 * 1024 * 1024;

/**
 * Replaces `$(NAME)` with the variable's value and `$$(NAME)` with `$(NAME)`. Unknown names stay. Throws when the values are
 * longer than a process may get: variables that repeat each other would otherwise double again and again.
 */
export function expand(text: string, env: ReadonlyMap<string, string>): string {
  let length = text.length;
  return text.replace(/\$(\$|\(([^()$]*)\))/g, (all, escaped: string, name: string | undefined) => {
    const value = escaped === '$' ? '$' : (env.get(name ?? '') ?? all);
    length += value.length;
    if (length > MAX_EXPANDED) throw new Error('Cannot start container: its variables are too long');
    return value;
  });
}

async function variableOf(client: CachedClient, pod: Pod, { value, valueFrom }: EnvVar): Promise<string | undefined> {
  if (valueFrom === undefined) return value ?? '';
  const { configMapKeyRef, secretKeyRef, fieldRef } = valueFrom;
  if (fieldRef) return fieldOf(pod, fieldRef.fieldPath);
  const ref = configMapKeyRef ?? secretKeyRef;
  if (ref === undefined) return undefined;
  const data = configMapKeyRef ? await configOf(client, pod, ref.name) : await secretOf(client, pod, ref.name);
  const found = data && Object.hasOwn(data, ref.key) ? data[ref.key] : undefined;
  if (found === undefined && !ref.optional) throw missing(configMapKeyRef ? 'configmap' : 'secret', ref.name, ref.key);
  return found;
}

async function configOf(
  client: CachedClient,
  { metadata }: Pod,
  name = '',
): Promise<Record<string, string> | undefined> {
  return (await client.live.find(ConfigMap, { namespace: metadata.namespace, name }))?.data ?? undefined;
}

async function secretOf(
  client: CachedClient,
  { metadata }: Pod,
  name = '',
): Promise<Record<string, string> | undefined> {
  const data = (await client.live.find(Secret, { namespace: metadata.namespace, name }))?.data;
  if (data === undefined) return undefined;
  return Object.fromEntries(
    Object.entries(data).map(([key, value]) => [key, Buffer.from(String(value), 'base64').toString()]),
  );
}

function fieldOf({ metadata, spec, status }: Pod, path: string): string {
  const [, list, key = ''] = /^metadata\.(labels|annotations)\['(.+)'\]$/.exec(path) ?? [];
  if (list !== undefined) return metadata[list as 'labels' | 'annotations']?.[key] ?? '';
  switch (path) {
    case 'metadata.name':
      return metadata.name ?? '';
    case 'metadata.namespace':
      return metadata.namespace ?? '';
    case 'metadata.uid':
      return metadata.uid ?? '';
    case 'spec.nodeName':
      return spec?.nodeName ?? '';
    case 'spec.serviceAccountName':
      return spec?.serviceAccountName ?? '';
    case 'status.podIP':
      return status?.podIP ?? '';
    default:
      return '';
  }
}

function missing(kind: string, name = '', key?: string): Error {
  return new Error(key === undefined ? `${kind} "${name}" not found` : `couldn't find key ${key} in ${kind} ${name}`);
}
