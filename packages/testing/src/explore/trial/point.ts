import type { TransportRequest } from '@pintle/client';
import { isJsonObject, parseJson, trustedLimits } from '@pintle/machinery/json';
import type { RequestFacts } from '../../requests/request-facts.ts';

/** Senders of requests in a run. */
export type Party = 'operator' | 'test' | 'controllers' | 'standby' | 'other';

/** Returns the key of an object, or of a collection without a name: `configmaps default/apple-label`. */
export function objectKey({ resource, group, namespace, name }: ObjectPlace): string {
  return `${resource}${group && `.${group}`} ${namespace === '' ? '' : `${namespace}/`}${name}`.trimEnd();
}

interface ObjectPlace {
  readonly resource: string;
  readonly group: string;
  readonly namespace: string;
  readonly name: string;
}

/** Returns the facts of a request, for creations with the name in the body. */
export function placeOf(facts: RequestFacts, { body }: TransportRequest): RequestFacts {
  if (facts.verb !== 'create' || facts.name !== '' || body === undefined) return facts;
  return { ...facts, name: nameIn(body) };
}

/** Returns a point without its number: equal for requests of the same verb and object. */
export function pointKey(party: Party, facts: RequestFacts): string {
  const { verb, subresource } = facts;
  const [resource = '', ...place] = objectKey(facts).split(' ');
  return [party, verb, `${resource}${subresource && `/${subresource}`}`, ...place].join(' ');
}

function nameIn(body: Uint8Array): string {
  try {
    const object = parseJson(body, trustedLimits);
    const metadata = isJsonObject(object) ? object.metadata : undefined;
    if (!isJsonObject(metadata)) return '';
    if (typeof metadata.name === 'string') return metadata.name;
    return typeof metadata.generateName === 'string' ? `${metadata.generateName}*` : '';
  } catch {
    return '';
  }
}
