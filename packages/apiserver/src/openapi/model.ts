import type { GroupVersionKind } from '@pintle/machinery';

/** What both forms of the OpenAPI document are written from. */
export interface PathItem {
  readonly path: string;
  readonly operations: Readonly<Partial<Record<Method, Operation>>>;
  /** Those that all operations have in common. */
  readonly parameters: readonly Parameter[];
}

/** In the order in which documents have them. */
export const METHODS = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch'] as const;
export type Method = (typeof METHODS)[number];

export interface Operation {
  readonly id: string;
  readonly tag: string;
  /** What is done, in Kubernetes' words: `list`, `post`, `watchlist`. Absent for discovery itself. */
  readonly action?: string;
  readonly kind?: GroupVersionKind;
  readonly parameters: readonly Parameter[];
  readonly body?: OperationBody;
  /** By status code. */
  readonly responses: Readonly<Record<string, Payload>>;
  readonly produces: readonly string[];
  /** Where there is no body, in OpenAPI 2: anything unless this is given; it is not said where this is empty. */
  readonly consumes?: readonly string[];
}

export interface OperationBody {
  readonly typeName: string;
  readonly isRequired: boolean;
  readonly consumes: readonly string[];
}

/** What an answer holds: a type, plain text, or nothing worth a schema. */
export type Payload = { readonly typeName: string } | 'text' | 'nothing';

export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query';
  readonly type: 'string' | 'integer' | 'boolean';
  readonly description: string;
}

/** A path with its operations, common parameters taken out of them. */
export function pathItem(path: string, operations: PathItem['operations']): PathItem {
  const all = Object.values(operations);
  const isCommon = (parameter: Parameter): boolean =>
    all.every(({ parameters }) => hasParameter(parameters, parameter));
  const parameters = (all[0]?.parameters ?? []).filter(isCommon);
  const own = Object.entries(operations).map(([method, operation]) => [
    method,
    { ...operation, parameters: operation.parameters.filter((parameter) => !hasParameter(parameters, parameter)) },
  ]);
  return { path, operations: Object.fromEntries(own) as PathItem['operations'], parameters };
}

function hasParameter(parameters: readonly Parameter[], wanted: Parameter): boolean {
  return parameters.some(({ name, in: place }) => name === wanted.name && place === wanted.in);
}
