import { yieldToEventLoop } from '@pintle/async';
import type { OpenApiSchema } from '@pintle/kinds/schemas';
import type { GroupVersion } from '@pintle/machinery';
import { table } from '@pintle/machinery/table';
import type { SchemaSource } from '../discovery/documents.ts';
import type { Operation, OperationBody, Parameter, PathItem, Payload } from './model.ts';
import { METHODS } from './model.ts';
import { COMPONENT_PREFIX, typesOf } from './type-closure.ts';

export const INFO = { title: 'Kubernetes', version: '1.36' } as const;

/** Descriptions of responses by status code. */
export const RESPONSE_DESCRIPTIONS: Readonly<Record<string, string>> = table({
  200: 'OK',
  201: 'Created',
  202: 'Accepted',
  401: 'Unauthorized',
});

export const BEARER_TOKEN = {
  type: 'apiKey',
  description: 'A bearer token',
  name: 'authorization',
  in: 'header',
} as const;

/** Source of a document. */
export interface DocumentSource {
  readonly items: () => readonly PathItem[];
  readonly schemas: SchemaSource;
  /** Version of the document. Kinds that belong to every version are listed as kinds of this one. */
  readonly version?: GroupVersion;
}

/** Returns an OpenAPI 3 document as JSON. Yields between its parts. */
export async function v3Document({ items, schemas, version }: DocumentSource): Promise<Uint8Array> {
  const paths = items();
  await yieldToEventLoop();
  const types = typesOf(paths, schemas);
  await yieldToEventLoop();
  const writer = new V3Writer();
  const pathTexts = paths.map((item) => `${JSON.stringify(item.path)}:${writer.path(item)}`);
  const typeTexts = [...types].map(([name, schema]) => `${JSON.stringify(name)}:${typeText(name, schema, version)}`);
  await yieldToEventLoop();
  const typesPart = typeTexts.length > 0 ? `"schemas":{${typeTexts.join()}},` : '';
  return Buffer.from(
    `{"openapi":"3.0.0","info":${JSON.stringify(INFO)},"paths":{${pathTexts.join()}},"components":{${typesPart}` +
      `"securitySchemes":${JSON.stringify({ BearerToken: BEARER_TOKEN })}}}`,
  );
}

function typeText(name: string, schema: OpenApiSchema, version: GroupVersion | undefined): string {
  return JSON.stringify(version === undefined ? schema : withKindsEverywhere(name, schema, [version]));
}

const META = 'io.k8s.apimachinery.pkg.apis.meta.v1';
const KINDS_EVERYWHERE: ReadonlyMap<string, string> = new Map([
  [`${META}.DeleteOptions`, 'DeleteOptions'],
  [`${META}.WatchEvent`, 'WatchEvent'],
]);

/** Adds a kind of each of these versions to the schema of a type that every version has. */
export function withKindsEverywhere(
  name: string,
  schema: OpenApiSchema,
  versions: readonly GroupVersion[],
): OpenApiSchema {
  const kind = KINDS_EVERYWHERE.get(name);
  if (kind === undefined) return schema;
  const others = versions.filter(({ group }) => group !== '');
  const kinds = [{ group: '', version: 'v1' }, ...others].map(({ group, version }) => ({ group, kind, version }));
  return { ...schema, 'x-kubernetes-group-version-kind': kinds };
}

/** Writes paths as JSON. Caches the texts of parameters and contents, which operations repeat. */
class V3Writer {
  readonly #parameters = new Map<Parameter, string>();
  readonly #contents = new Map<string, string>();

  path({ operations, parameters }: PathItem): string {
    const parts = METHODS.filter((method) => operations[method] !== undefined).map(
      (method) => `"${method}":${this.#operation(operations[method]!)}`,
    );
    if (parameters.length > 0) parts.push(`"parameters":${this.#list(parameters)}`);
    return `{${parts.join()}}`;
  }

  #operation({ id, tag, action, kind, parameters, body, responses, produces }: Operation): string {
    const parts = [`"tags":[${JSON.stringify(tag)}],"operationId":${JSON.stringify(id)}`];
    if (parameters.length > 0) parts.push(`"parameters":${this.#list(parameters)}`);
    if (body !== undefined) parts.push(`"requestBody":${this.#body(body)}`);
    const answers = Object.entries(responses).map(([code, payload]) => this.#response(code, payload, produces));
    parts.push(`"responses":{${answers.join()}}`);
    if (action !== undefined) parts.push(`"x-kubernetes-action":"${action}"`);
    if (kind !== undefined) parts.push(`"x-kubernetes-group-version-kind":${JSON.stringify(kind)}`);
    return `{${parts.join()}}`;
  }

  #body({ typeName, isRequired, consumes }: OperationBody): string {
    return `{"content":${this.#content({ typeName }, consumes)}${isRequired ? ',"required":true' : ''}}`;
  }

  #response(code: string, payload: Payload, produces: readonly string[]): string {
    const content = payload === 'nothing' ? '' : `,"content":${this.#content(payload, produces)}`;
    return `"${code}":{"description":"${RESPONSE_DESCRIPTIONS[code]}"${content}}`;
  }

  #content(payload: Exclude<Payload, 'nothing'>, types: readonly string[]): string {
    const key = `${payload === 'text' ? '' : payload.typeName} ${types.length} ${types[0]}`;
    const known = this.#contents.get(key);
    if (known !== undefined) return known;
    const schema = payload === 'text' ? { type: 'string' } : { $ref: COMPONENT_PREFIX + payload.typeName };
    const text = JSON.stringify(Object.fromEntries([...types].sort().map((type) => [type, { schema }])));
    this.#contents.set(key, text);
    return text;
  }

  #list(parameters: readonly Parameter[]): string {
    return `[${parameters.map((parameter) => this.#parameter(parameter)).join()}]`;
  }

  #parameter(parameter: Parameter): string {
    const known = this.#parameters.get(parameter);
    if (known !== undefined) return known;
    const { name, in: place, type, description } = parameter;
    const required = place === 'path' && { required: true };
    const text = JSON.stringify({ name, in: place, description, ...required, schema: { type, uniqueItems: true } });
    this.#parameters.set(parameter, text);
    return text;
  }
}
