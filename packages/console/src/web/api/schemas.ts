import { ApiError, api } from './http.ts';
import type { Kind } from './kinds.ts';
import type { Json } from './objects.ts';
import { record, recordsIn } from './objects.ts';

/** Form of a field's value. `any` is a value that the schema leaves open. */
export type FieldType =
  | 'object'
  | 'map'
  | 'array'
  | 'string'
  | 'integer'
  | 'number'
  | 'boolean'
  | 'int-or-string'
  | 'any';

type Raw = Readonly<Record<string, unknown>>;

/** Follows at most so many references from one field: references may form a circle. */
const MAX_REFERENCES = 16;

/**
 * A field of a kind, read from an OpenAPI v3 document when it is looked at: schemas refer to themselves. Schemas of custom
 * kinds are written by users, so every part is checked.
 */
export class FieldSchema {
  readonly #document: Raw;
  /** The field's own schema, then those that it refers to. Earlier ones win. */
  readonly #parts: readonly Raw[];
  #properties: ReadonlyMap<string, FieldSchema> | undefined;

  constructor(document: Raw, schema: Raw) {
    this.#document = document;
    this.#parts = partsOf(document, schema);
  }

  get type(): FieldType {
    const type = this.#text('type');
    if (this.#first('x-kubernetes-int-or-string') === true || this.#text('format') === 'int-or-string') {
      return 'int-or-string';
    }
    if (type === 'array' || type === 'string' || type === 'integer' || type === 'number' || type === 'boolean') {
      return type;
    }
    if (this.properties.size > 0) return 'object';
    if (record(this.#first('additionalProperties')) !== undefined) return 'map';
    if (this.#variants.some((variant) => variant === 'string')) return 'int-or-string';
    return 'any';
  }

  get description(): string {
    return this.#text('description');
  }

  get format(): string {
    return this.#text('format');
  }

  get default(): Json | undefined {
    return this.#first('default') as Json | undefined;
  }

  /** Values that the field may have; empty where it may have any. */
  get values(): readonly Json[] {
    const values = this.#first('enum');
    return Array.isArray(values) ? values : [];
  }

  /** Names of the properties that an object must have. */
  get required(): ReadonlySet<string> {
    const names = this.#first('required');
    return new Set(Array.isArray(names) ? names.filter((name) => typeof name === 'string') : []);
  }

  get properties(): ReadonlyMap<string, FieldSchema> {
    this.#properties ??= new Map(
      this.#parts.flatMap((part) =>
        Object.entries(record(part.properties) ?? {}).map(([name, schema]): [string, FieldSchema] => [
          name,
          new FieldSchema(this.#document, record(schema) ?? {}),
        ]),
      ),
    );
    return this.#properties;
  }

  /** Schema of each item of an array. */
  get items(): FieldSchema {
    return new FieldSchema(this.#document, record(this.#first('items')) ?? {});
  }

  /** Schema of each value of a map. */
  get entries(): FieldSchema {
    return new FieldSchema(this.#document, record(this.#first('additionalProperties')) ?? {});
  }

  /** Limits in words, such as `1 to 65535`. */
  get limits(): string {
    const [low, high] = [this.#first('minimum'), this.#first('maximum')];
    const parts = [
      typeof low === 'number' && typeof high === 'number' ? `${low} to ${high}` : '',
      typeof low === 'number' && typeof high !== 'number' ? `at least ${low}` : '',
      typeof high === 'number' && typeof low !== 'number' ? `at most ${high}` : '',
      typeof this.#first('maxLength') === 'number' ? `at most ${this.#first('maxLength')} characters` : '',
      typeof this.#first('minItems') === 'number' ? `at least ${this.#first('minItems')} items` : '',
      typeof this.#first('maxItems') === 'number' ? `at most ${this.#first('maxItems')} items` : '',
    ];
    return parts.filter((part) => part !== '').join(', ');
  }

  get minimum(): number | undefined {
    const low = this.#first('minimum');
    return typeof low === 'number' ? low : undefined;
  }

  get #variants(): readonly unknown[] {
    return ['oneOf', 'anyOf'].flatMap((name) => {
      const variants = this.#first(name);
      return Array.isArray(variants) ? variants.map((variant) => record(variant)?.type) : [];
    });
  }

  #first(name: string): unknown {
    return this.#parts.find((part) => Object.hasOwn(part, name))?.[name];
  }

  #text(name: string): string {
    const value = this.#first(name);
    return typeof value === 'string' ? value : '';
  }
}

/** Returns a schema and the schemas that it refers to, by `$ref` or by `allOf`. */
function partsOf(document: Raw, schema: Raw): Raw[] {
  const parts: Raw[] = [];
  const open = [schema];
  for (let part = open.shift(); part !== undefined && parts.length < MAX_REFERENCES; part = open.shift()) {
    parts.push(part);
    const target = typeof part.$ref === 'string' ? componentOf(document, part.$ref) : undefined;
    if (target !== undefined) open.push(target);
    open.push(...recordsIn(part.allOf));
  }
  return parts;
}

function componentOf(document: Raw, reference: string): Raw | undefined {
  const name = /^#\/components\/schemas\/([^/]+)$/.exec(reference)?.[1];
  const schemas = record(record(document.components)?.schemas);
  return name !== undefined && schemas !== undefined && Object.hasOwn(schemas, name)
    ? record(schemas[name])
    : undefined;
}

const KEEP_MS = 30_000;
const documents = new Map<string, { readonly document: Promise<Raw>; readonly untilMs: number }>();

/** Returns the schema of a kind, as the server serves it now; `undefined` where it serves none. */
export async function schemaOf(kind: Pick<Kind, 'group' | 'version' | 'kind'>): Promise<FieldSchema | undefined> {
  const { group, version } = kind;
  const root = group === '' ? `/openapi/v3/api/${version}` : `/openapi/v3/apis/${group}/${version}`;
  const document = await documentAt(root);
  for (const schema of Object.values(record(record(document.components)?.schemas) ?? {})) {
    if (isOfKind(record(schema), kind)) return new FieldSchema(document, record(schema)!);
  }
  return undefined;
}

function documentAt(path: string): Promise<Raw> {
  const kept = documents.get(path);
  if (kept !== undefined && kept.untilMs > Date.now()) return kept.document;
  const document = api(path).then(
    (body) => record(body) ?? {},
    (error: unknown) => {
      documents.delete(path);
      if (error instanceof ApiError && (error.status === 404 || error.status === 403)) return {};
      throw error;
    },
  );
  documents.set(path, { document, untilMs: Date.now() + KEEP_MS });
  return document;
}

function isOfKind(schema: Raw | undefined, { group, version, kind }: Pick<Kind, 'group' | 'version' | 'kind'>) {
  const named = schema?.['x-kubernetes-group-version-kind'];
  return (
    Array.isArray(named) &&
    named.some((each) => {
      const found = record(each);
      return (found?.group ?? '') === group && found?.version === version && found?.kind === kind;
    })
  );
}
