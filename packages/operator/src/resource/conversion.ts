import type { JSONSchemaProps } from '@pintle/kinds/apiextensions/v1';
import type { KubernetesObject, ObjectMeta } from '@pintle/machinery';
import { ResourceError } from './errors.ts';
import { shapeProblems } from './shape-problems.ts';

/** Result of a conversion: the object without its identity. Labels, annotations and the status are kept unless they are returned. */
export type Converted<T extends KubernetesObject> = Omit<T, 'apiVersion' | 'kind' | 'metadata'> & {
  readonly metadata?: Pick<ObjectMeta, 'labels' | 'annotations'>;
};

/** Conversion between one version and the hub, which is the storage version. */
export interface Spoke<Version extends KubernetesObject, Hub extends KubernetesObject> {
  toHub(object: Version): Converted<Hub>;
  fromHub(object: Hub): Converted<Version>;
}

type WithStatus = KubernetesObject & { readonly status?: unknown };

type AnySpoke = Spoke<KubernetesObject, KubernetesObject>;

/** Converts objects of one resource between its versions, through the hub. */
export class Conversion {
  readonly #resource: string;
  readonly #hub: string;
  readonly #versions: ReadonlySet<string>;
  readonly #spokes: ReadonlyMap<string, AnySpoke>;
  readonly #schemas: ReadonlyMap<string, JSONSchemaProps>;

  /** Versions are given by apiVersion. Those without a spoke have the schema of the hub. */
  constructor(options: {
    readonly resource: string;
    readonly hub: string;
    readonly versions: Iterable<string>;
    readonly spokes: ReadonlyMap<string, AnySpoke>;
    /** Schema of each version, to describe objects that a spoke fails on. */
    readonly schemas?: ReadonlyMap<string, JSONSchemaProps>;
  }) {
    this.#resource = options.resource;
    this.#hub = options.hub;
    this.#versions = new Set(options.versions);
    this.#spokes = options.spokes;
    this.#schemas = options.schemas ?? new Map();
  }

  /**
   * Converts an object to another version. Of its metadata only labels and annotations may change. Servers convert before
   * they validate when a webhook needs another version: when a spoke fails on an object that is not valid by its schema, throws
   * a `ResourceError` with the problems of the object.
   */
  convert(object: KubernetesObject, apiVersion: string): KubernetesObject {
    for (const version of [object.apiVersion, apiVersion])
      if (!this.#versions.has(version))
        throw new ResourceError({ code: 'NoSuchVersion', resource: this.#resource, apiVersion: version });
    if (object.apiVersion === apiVersion) return object;
    const hub = this.#step(object, this.#hub, this.#spokes.get(object.apiVersion)?.toHub);
    return this.#step(hub, apiVersion, this.#spokes.get(apiVersion)?.fromHub);
  }

  #step(object: KubernetesObject, to: string, make: AnySpoke['toHub'] | undefined): KubernetesObject {
    if (make === undefined) return { ...object, apiVersion: to };
    try {
      return asVersion(object, to, this.#withStatus(object, to, make(object)));
    } catch (cause) {
      const from = object.apiVersion;
      const schema = this.#schemas.get(from);
      const problems = schema === undefined ? [] : shapeProblems(schema, object);
      if (problems.length === 0) throw cause;
      const { name = '' } = object.metadata;
      throw new ResourceError(
        { code: 'NotConvertible', resource: this.#resource, name, from, to, problems },
        { cause },
      );
    }
  }

  /** Keeps the status of a version that has one: an update of another version would erase what a conversion forgets. */
  #withStatus(object: WithStatus, to: string, made: Converted<WithStatus>): Converted<WithStatus> {
    const { status } = object;
    const schema = this.#schemas.get(to);
    const isKept = status !== undefined && !('status' in made) && schema?.properties?.status !== undefined;
    return isKept ? { ...made, status } : made;
  }
}

function asVersion(
  original: KubernetesObject,
  apiVersion: string,
  made: Converted<KubernetesObject>,
): KubernetesObject {
  const { metadata: given = {}, ...body } = made;
  const metadata: ObjectMeta = { ...original.metadata };
  if (given.labels !== undefined) metadata.labels = given.labels;
  if (given.annotations !== undefined) metadata.annotations = given.annotations;
  return { ...body, apiVersion, kind: original.kind, metadata };
}
