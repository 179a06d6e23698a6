import type { GroupVersionKind } from '@pintle/machinery';

/** A path of the OpenAPI model, from which the documents of both versions are written. */
export interface PathItem {
  readonly path: string;
  readonly operations: Readonly<Partial<Record<Method, Operation>>>;
  /** Parameters that all operations share. */
  readonly parameters: readonly Parameter[];
}

/** Methods in the order of documents. */
export const METHODS = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch'] as const;
export type Method = (typeof METHODS)[number];

export interface Operation {
  readonly id: string;
  readonly tag: string;
  /** Kubernetes' action: `list`, `post`, `watchlist`. Absent for discovery. */
  readonly action?: string;
  readonly kind?: GroupVersionKind;
  readonly parameters: readonly Parameter[];
  readonly body?: OperationBody;
  /** Responses by status code. */
  readonly responses: Readonly<Record<string, Payload>>;
  readonly produces: readonly string[];
  /** Types of OpenAPI 2 for operations without a body. Default: any type. Omitted from the document when empty. */
  readonly consumes?: readonly string[];
}

export interface OperationBody {
  readonly typeName: string;
  readonly isRequired: boolean;
  readonly consumes: readonly string[];
}

/** Content of a response: a type, plain text, or nothing with a schema. */
export type Payload = { readonly typeName: string } | 'text' | 'nothing';

export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query';
  readonly type: 'string' | 'integer' | 'boolean';
  readonly description: string;
}

/** Creates a path, and moves common parameters from its operations to it. */
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
