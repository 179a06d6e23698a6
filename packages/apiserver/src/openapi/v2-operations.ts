import { createHash } from 'node:crypto';
import type { JsonObject } from '@pintle/machinery/json';
import type { Operation, OperationBody, Parameter, PathItem, Payload } from './model.ts';
import { METHODS } from './model.ts';
import { DEFINITION_PREFIX } from './v2-schema.ts';
import { RESPONSE_DESCRIPTIONS } from './v3-document.ts';

/** Converts path items to OpenAPI 2, and collects the parameters that operations share. */
export class V2Operations {
  /** Targets of references `#/parameters/<name>`, by name. */
  readonly sharedParameters = new Map<string, JsonObject>();
  readonly #written = new Map<Parameter, JsonObject>();

  path({ operations, parameters }: PathItem): JsonObject {
    const methods = METHODS.filter((method) => operations[method] !== undefined);
    return {
      ...Object.fromEntries(methods.map((method) => [method, this.#operation(operations[method]!)])),
      ...(parameters.length > 0 && { parameters: parameters.map((parameter) => this.#parameter(parameter)) }),
    };
  }

  #operation({ id, tag, action, kind, parameters, body, responses, produces, consumes }: Operation): JsonObject {
    const all = [...(body ? [this.#body(body)] : []), ...parameters.map((parameter) => this.#parameter(parameter))];
    const taken = body?.consumes ?? consumes ?? ['*/*'];
    return {
      ...(taken.length > 0 && { consumes: [...taken] }),
      produces: [...produces],
      schemes: ['https'],
      tags: [tag],
      operationId: id,
      ...(all.length > 0 && { parameters: all }),
      responses: Object.fromEntries(
        Object.entries(responses).map(([code, payload]) => [code, responseOf(code, payload)]),
      ),
      ...(action && { 'x-kubernetes-action': action }),
      ...(kind && { 'x-kubernetes-group-version-kind': { ...kind } }),
    };
  }

  /** Shares bodies of types that all kinds use. Those of a kind stay in its operations. */
  #body({ typeName, isRequired }: OperationBody): JsonObject {
    const body = {
      name: 'body',
      in: 'body',
      ...(isRequired && { required: true }),
      schema: { $ref: DEFINITION_PREFIX + typeName },
    };
    return typeName.startsWith('io.k8s.apimachinery') ? this.#share(body) : body;
  }

  #parameter(parameter: Parameter): JsonObject {
    const known = this.#written.get(parameter);
    if (known !== undefined) return known;
    const { name, in: place, type, description } = parameter;
    const required = place === 'path' && { required: true };
    const whole = { uniqueItems: true, type, description, name, in: place, ...required };
    const written = NEVER_SHARED.has(name) ? whole : this.#share(whole);
    this.#written.set(parameter, written);
    return written;
  }

  #share(parameter: JsonObject & { readonly name: string }): JsonObject {
    const hash = createHash('sha256').update(JSON.stringify(parameter)).digest('base64url').slice(0, 8);
    const name = `${parameter.name}-${hash}`;
    this.sharedParameters.set(name, parameter);
    return { $ref: `#/parameters/${name}` };
  }
}

/** Parameters that clients look for in the operation itself, to detect features of the server. */
const NEVER_SHARED: ReadonlySet<string> = new Set(['dryRun', 'fieldValidation', 'name']);

function responseOf(code: string, payload: Payload): JsonObject {
  const description = RESPONSE_DESCRIPTIONS[code] ?? '';
  if (payload === 'nothing') return { description };
  const schema = payload === 'text' ? { type: 'string' } : { $ref: DEFINITION_PREFIX + payload.typeName };
  return { description, schema };
}
