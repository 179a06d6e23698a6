import { asKubernetesObject } from '@pintle/machinery';
import { errorText } from '@pintle/machinery/errors';
import { asJson, isJsonObject, type JsonObject, type JsonValue } from '@pintle/machinery/json';
import type { Conversion } from '../resource/conversion.ts';
import type { AnsweredReview } from './answer-review.ts';

/** Finds the conversion of a kind; the key is `group/kind`. */
type FindConversion = (key: string) => Conversion | undefined;

/** Answers a ConversionReview with all objects, or with an error. Returns `undefined` for other objects. */
export function answerConversion(review: JsonObject, find: FindConversion): AnsweredReview | undefined {
  const { apiVersion, kind, request } = review;
  if (kind !== 'ConversionReview' || !isJsonObject(request)) return undefined;
  const { uid = '', desiredAPIVersion, objects } = request;
  const answer = (response: JsonObject): JsonObject => ({
    apiVersion: apiVersion ?? 'apiextensions.k8s.io/v1',
    kind,
    response: { uid, ...response },
  });
  try {
    const converted = (Array.isArray(objects) ? objects : []).map((object) =>
      convert(object, String(desiredAPIVersion), find),
    );
    return { review: answer({ convertedObjects: converted, result: { status: 'Success' } }) };
  } catch (failure) {
    const message = errorText(failure);
    return { review: answer({ convertedObjects: [], result: { status: 'Failure', message } }), failure };
  }
}

function convert(value: JsonValue, apiVersion: string, find: FindConversion): JsonObject {
  const object = asKubernetesObject(value);
  if (object === undefined) throw new Error('Cannot convert the object: it has no kind or no metadata');
  const group = object.apiVersion.slice(0, object.apiVersion.indexOf('/'));
  const conversion = find(`${group}/${object.kind}`);
  if (conversion === undefined)
    throw new Error(`Cannot convert ${object.kind}.${group}: this operator has no conversion for it`);
  return asJson(conversion.convert(object, apiVersion));
}
