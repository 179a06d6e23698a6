import type { UserInfo } from '@pintle/apiserver';
import type { CustomResourceDefinition, JSONSchemaProps } from '@pintle/kinds/apiextensions/v1';
import type { KubernetesObject } from '@pintle/machinery';

/** A kind that an extension server adds to the API. */
export interface ExtensionKind<T extends KubernetesObject = KubernetesObject> {
  readonly kind: string;
  readonly plural: string;
  /** Default: `Namespaced`. */
  readonly scope?: 'Namespaced' | 'Cluster';
  /** The whole object, as a definition has it. */
  readonly schema: JSONSchemaProps;
  /** Cells that `kubectl get` prints. */
  readonly columns?: readonly { readonly name: string; readonly type: string; readonly jsonPath: string }[];
  readonly shortNames?: readonly string[];
  /** Objects have a status that is written apart from the rest. */
  readonly hasStatus?: boolean;
  /** Fills in what a client left out, in place. For kinds whose objects are kept. */
  readonly complete?: (object: T) => void;
  /** What is wrong with an object that fits its schema, as `[path, problem]`. For kinds whose objects are kept. */
  readonly validate?: (object: T, before: T | undefined) => readonly (readonly [string, string])[];
  /** Objects are not kept but made when somebody asks. */
  readonly computed?: ComputedObjects<T>;
}

/** What is asked for. */
export interface ComputedQuery {
  /** Empty: in all namespaces, or the kind has none. */
  readonly namespace: string;
  readonly user: UserInfo;
  readonly signal: AbortSignal;
}

export interface ComputedObjects<T extends KubernetesObject> {
  /** `undefined`: there is none of that name. */
  get(name: string, query: ComputedQuery): Promise<T | undefined> | T | undefined;
  /** Those that selectors leave out are left out later. */
  list(query: ComputedQuery): Promise<readonly T[]> | readonly T[];
}

/** A kind with its type, for servers of many: what they hand to its functions has passed its schema. */
export function extensionKind<T extends KubernetesObject>(kind: ExtensionKind<T>): ExtensionKind {
  return kind as unknown as ExtensionKind;
}

/** A kind as the definition that it is served by. */
export function definitionOf(group: string, version: string, kind: ExtensionKind): CustomResourceDefinition {
  const { plural, scope = 'Namespaced', schema, columns = [], shortNames = [], hasStatus } = kind;
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope,
      names: { kind: kind.kind, plural, shortNames: [...shortNames] },
      versions: [
        {
          name: version,
          served: true,
          storage: true,
          schema: { openAPIV3Schema: schema },
          additionalPrinterColumns: columns.map((column) => ({ ...column })),
          ...(hasStatus && { subresources: { status: {} } }),
        },
      ],
    },
  };
}
