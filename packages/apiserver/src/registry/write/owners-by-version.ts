import { parseGroupVersion } from '@pintle/machinery';
import type { Convert, FieldSteps, VersionedObject } from '@pintle/machinery/fields';
import { canonicalJson, type JsonObject } from '@pintle/machinery/json';
import { convertBetween } from '../../resource/convert-between.ts';
import type { EndpointCall } from '../../resource/endpoint.ts';
import type { ServedResource } from '../../resource/served-resource.ts';
import { longTurns } from '../../resource/yield-policy.ts';

/** Works out owners with `decide`, which is pure, pauses now and then, and waits for objects in other versions. */
export async function acrossVersions<T>(call: EndpointCall, decide: (convert: Convert) => FieldSteps<T>): Promise<T> {
  const steps = decide(converterFor(call));
  const turns = longTurns(call.clock);
  let step = steps.next();
  while (!step.done) {
    const wait = step.value ?? turns.next();
    step =
      wait === undefined
        ? steps.next()
        : await wait.then(
            () => steps.next(),
            (error) => steps.throw(error),
          );
  }
  return step.value;
}

/** Converts each object once to each version. */
function converterFor(call: EndpointCall): Convert {
  const converted = new Map<string, VersionedObject | undefined>();
  return function* (object, apiVersion) {
    const key = `${apiVersion} ${canonicalJson(object)}`;
    if (!converted.has(key)) {
      yield inAnotherVersion(call, object, apiVersion).then((versioned) => void converted.set(key, versioned));
    }
    return converted.get(key);
  };
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
