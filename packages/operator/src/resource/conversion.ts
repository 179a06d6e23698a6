import type { KubernetesObject, ObjectMeta } from '@pintle/machinery';
import { ResourceError } from './errors.ts';

/** What a conversion makes: everything but who the object is. Labels and annotations stay unless they are given. */
export type Converted<T extends KubernetesObject> = Omit<T, 'apiVersion' | 'kind' | 'metadata'> & {
  readonly metadata?: Pick<ObjectMeta, 'labels' | 'annotations'>;
};

/** The way between one version and the hub, which is the version that is stored. */
export interface Spoke<Version extends KubernetesObject, Hub extends KubernetesObject> {
  toHub(object: Version): Converted<Hub>;
  fromHub(object: Hub): Converted<Version>;
}

type AnySpoke = Spoke<KubernetesObject, KubernetesObject>;

/** Converts objects of one resource between its versions, through the hub. */
export class Conversion {
  readonly #resource: string;
  readonly #hub: string;
  readonly #versions: ReadonlySet<string>;
  readonly #spokes: ReadonlyMap<string, AnySpoke>;

  /** Versions are given by their apiVersion. Those without a spoke look like the hub. */
  constructor(options: {
    readonly resource: string;
    readonly hub: string;
    readonly versions: Iterable<string>;
    readonly spokes: ReadonlyMap<string, AnySpoke>;
  }) {
    this.#resource = options.resource;
    this.#hub = options.hub;
    this.#versions = new Set(options.versions);
    this.#spokes = options.spokes;
  }

  /** The object in another version. It stays who it is: of its metadata only labels and annotations may become others. */
  convert(object: KubernetesObject, apiVersion: string): KubernetesObject {
    for (const version of [object.apiVersion, apiVersion])
      if (!this.#versions.has(version))
        throw new ResourceError({ code: 'NoSuchVersion', resource: this.#resource, apiVersion: version });
    if (object.apiVersion === apiVersion) return object;
    const toHub = this.#spokes.get(object.apiVersion);
    const hub = toHub ? asVersion(object, this.#hub, toHub.toHub(object)) : { ...object, apiVersion: this.#hub };
    const fromHub = this.#spokes.get(apiVersion);
    return fromHub ? asVersion(hub, apiVersion, fromHub.fromHub(hub)) : { ...hub, apiVersion };
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
