import { nextTurn } from '@pintle/async';
import type { OpenApiSchema } from '@pintle/kinds/schemas';
import type { GroupVersion } from '@pintle/machinery';
import { table } from '@pintle/machinery/table';
import type { SchemaSource } from '../discovery/documents.ts';
import type { Operation, OperationBody, Parameter, PathItem, Payload } from './model.ts';
import { METHODS } from './model.ts';
import { COMPONENT_PREFIX, typesOf } from './type-closure.ts';

export const INFO = { title: 'Kubernetes', version: '1.36' } as const;

/** How an answer is summed up, by its status code. */
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

/** What a document is written from. */
export interface DocumentSource {
  readonly items: () => readonly PathItem[];
  readonly schemas: SchemaSource;
  /** The version the document is about; some kinds belong to every version and are told of as this one's. */
  readonly version?: GroupVersion;
}

/** An OpenAPI 3 document as JSON. Large ones are written in steps between which others get their turn. */
export async function v3Document({ items, schemas, version }: DocumentSource): Promise<Uint8Array> {
  const paths = items();
  await nextTurn();
  const types = typesOf(paths, schemas);
  await nextTurn();
  const writer = new V3Writer();
  const pathTexts = paths.map((item) => `${JSON.stringify(item.path)}:${writer.path(item)}`);
  const typeTexts = [...types].map(([name, schema]) => `${JSON.stringify(name)}:${typeText(name, schema, version)}`);
  await nextTurn();
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

/** The schema, with a kind of each of these versions when it is one that every version has. */
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

/** Operations repeat the same parameters and contents again and again; each is turned into text once. */
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
