import type { Client, RestMapper } from '@pintle/client';
import type { CustomResourceDefinition } from '@pintle/kinds/apiextensions/v1';
import type { KubernetesObject, ResourceType } from '@pintle/machinery';
import { resourceType } from '@pintle/machinery';
import { isForbidden, isNotFound } from '@pintle/machinery/errors';

/** Maximum of objects that a message names; it counts the others. */
const MAX_NAMED = 5;
const MAX_FOUND = 100;

/** A deleted object that its finalizers keep. */
interface HeldObject {
  readonly type: ResourceType;
  readonly object: KubernetesObject;
}

/**
 * Returns the objects whose finalizers block the deletion of an object: the object itself, the objects of a CRD, the objects
 * in a namespace. Leaves out kinds that the user may not list.
 */
export async function heldObjects(
  client: Client,
  mapper: RestMapper,
  type: ResourceType,
  object: KubernetesObject,
): Promise<HeldObject[]> {
  const held: HeldObject[] = isHeld(object) ? [{ type, object }] : [];
  const where = type.kind === 'Namespace' ? { namespace: object.metadata.name ?? '' } : {};
  for (const each of await typesInside(mapper, type, object)) {
    try {
      for await (const found of client.each(each, where)) {
        if (isHeld(found)) held.push({ type: each, object: found });
        if (held.length >= MAX_FOUND) return held;
      }
    } catch {
      // The user may be allowed to delete the namespace and not to list its objects.
    }
  }
  return held;
}

function isHeld({ metadata }: KubernetesObject): boolean {
  return metadata.deletionTimestamp !== undefined && finalizersOf(metadata).length > 0;
}

/** Returns objects of a CRD with finalizers, which only their operator removes. Leaves out kinds that the user may not list. */
export async function objectsWithFinalizers(
  client: Client,
  definition: CustomResourceDefinition,
): Promise<HeldObject[]> {
  const type = definedBy(definition);
  const found: HeldObject[] = [];
  try {
    for await (const object of client.each(type)) {
      if (finalizersOf(object.metadata).some((name) => !COLLECTED.has(name))) found.push({ type, object });
      if (found.length >= MAX_FOUND) break;
    }
  } catch (error) {
    if (!isForbidden(error) && !isNotFound(error)) throw error;
  }
  return found;
}

/** Finalizers that the garbage collector removes. */
const COLLECTED: ReadonlySet<string> = new Set(['foregroundDeletion', 'orphan']);

/** Describes the objects that block a deletion; empty when none does. */
export function describeHeld(held: readonly HeldObject[], verb = 'waits for'): string {
  const named = held.slice(0, MAX_NAMED).map(({ type, object: { metadata } }) => {
    const place = metadata.namespace ? `${metadata.namespace}/` : '';
    return `${type.kind} ${place}${metadata.name} ${verb} ${finalizersOf(metadata).join(', ')}`;
  });
  const others = held.length - MAX_NAMED;
  if (others > 0) named.push(`and ${others}${held.length >= MAX_FOUND ? ' or more' : ''} others`);
  return named.join('; ');
}

/**
 * Returns the command that removes the finalizers of the first object, for users whose operator is gone. It names the stored
 * version: others may need a conversion webhook that is gone too.
 */
export function releaseCommand([first]: readonly HeldObject[]): string {
  if (first === undefined) return '';
  const { type, object } = first;
  const name = type.group === '' ? type.plural : `${type.plural}.${type.version}.${type.group}`;
  const place = object.metadata.namespace ? ` -n ${object.metadata.namespace}` : '';
  return `kubectl patch ${name} ${object.metadata.name}${place} --type=merge -p '{"metadata":{"finalizers":null}}'`;
}

/** Leaves out the finalizers that the server removes by itself. */
function finalizersOf({ finalizers = [] }: KubernetesObject['metadata']): string[] {
  return finalizers.filter((name) => name !== 'customresourcecleanup.apiextensions.k8s.io' && name !== 'kubernetes');
}

async function typesInside(
  mapper: RestMapper,
  { kind }: ResourceType,
  object: KubernetesObject,
): Promise<readonly ResourceType[]> {
  if (kind === 'CustomResourceDefinition') return [definedBy(object as CustomResourceDefinition)];
  if (kind !== 'Namespace') return [];
  const resources = await mapper.resources();
  return resources
    .filter(({ type, verbs, isPreferred }) => {
      return isPreferred && type.scope === 'Namespaced' && verbs.has('list') && verbs.has('delete');
    })
    .map(({ type }) => type);
}

/** Returns the resource of a CRD, in its stored version. */
export function definedBy({ spec }: CustomResourceDefinition): ResourceType {
  const { group, names, scope, versions } = spec;
  const version = (versions.find(({ storage }) => storage) ?? versions[0]!).name;
  return resourceType({
    group,
    version,
    kind: names.kind,
    plural: names.plural,
    scope: scope as ResourceType['scope'],
  });
}
