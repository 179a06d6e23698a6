import { parseGroupVersion } from '@pintle/machinery';
import type { Convert, VersionedObject } from '@pintle/machinery/fields';
import { canonicalJson, type JsonObject } from '@pintle/machinery/json';
import type { Steps } from '@pintle/machinery/rules';
import { convertBetween } from '../../resource/convert-between.ts';
import type { EndpointCall } from '../../resource/endpoint.ts';
import type { ServedResource } from '../../resource/served-resource.ts';
import { longTurns, runInTurns } from '../../resource/yield-policy.ts';

/**
 * Works out owners with `decide`, which is pure, pauses now and then, and may ask for objects in other versions as it goes.
 * Objects take time to convert, so `decide` stops where it needs one and begins again once that is there; most never ask.
 */
export async function acrossVersions<T>(call: EndpointCall, decide: (convert: Convert) => Steps<T>): Promise<T> {
  const converted = new Map<string, VersionedObject | undefined>();
  for (;;) {
    try {
      const steps = decide((object, apiVersion) => {
        const key = `${apiVersion} ${canonicalJson(object)}`;
        if (!converted.has(key)) throw new Unconverted(key, object, apiVersion);
        return converted.get(key);
      });
      return await runInTurns(steps, longTurns(call.clock));
    } catch (error) {
      if (!(error instanceof Unconverted)) throw error;
      converted.set(error.key, await inAnotherVersion(call, error.object, error.apiVersion));
    }
  }
}

/** Stops `decide` and says what it waits for. */
class Unconverted extends Error {
  override readonly name = 'Unconverted';
  readonly key: string;
  readonly object: JsonObject;
  readonly apiVersion: string;

  constructor(key: string, object: JsonObject, apiVersion: string) {
    super(`Cannot go on without the object in ${apiVersion}`);
    this.key = key;
    this.object = object;
    this.apiVersion = apiVersion;
  }
}

/** The object as another version of its resource has it, and how fields are owned there. */
async function inAnotherVersion(
  { resource, resources }: EndpointCall,
  object: JsonObject,
  apiVersion: string,
): Promise<VersionedObject | undefined> {
  if (resource.ownedIn !== undefined) return await resource.ownedIn(object, apiVersion);
  const find = async (version: unknown): Promise<ServedResource | undefined> => {
    const groupVersion = parseGroupVersion(String(version));
    const found = groupVersion && (await resources.find({ ...groupVersion, resource: resource.type.plural }));
    return found && isSameStorage(found, resource) ? found : undefined;
  };
  const from = await find(object.apiVersion);
  const to = await find(apiVersion);
  return from && to && { object: convertBetween(from, to, object), schema: to.fieldSchema() };
}

function isSameStorage(left: ServedResource, right: ServedResource): boolean {
  return left.storage.group === right.storage.group && left.storage.resource === right.storage.resource;
}
