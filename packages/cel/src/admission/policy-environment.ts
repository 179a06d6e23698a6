import type { Schema } from '@pintle/machinery/schema';
import { Environment, type StructDeclaration } from '../check/environment.ts';
import { AUTHORIZER, RESOURCE_CHECK } from '../functions/authorization.ts';
import { jsonPatchLibrary } from '../functions/json-patch.ts';
import { kubernetesLibraries } from '../functions/libraries.ts';
import { celTypeOf, schemaTypeOf, structFinder } from '../schema/schema-type.ts';
import { DYN, structType, type Type } from '../types/type.ts';
import { findMutationType } from './mutation-types.ts';
import { ADMISSION_REQUEST, findTable, NAMESPACE } from './struct-tables.ts';

const VARIABLES = structType('kubernetes.variables');

/** What the expressions of a policy, or of a webhook's match conditions, may speak of. */
export interface PolicyEnvironmentOptions {
  /** `params`: the policy has a kind of parameters. */
  readonly hasParams?: boolean;
  /** `authorizer` and `authorizer.requestResource`; not for messages. */
  readonly hasAuthorizer?: boolean;
  /** `namespaceObject`; webhooks have none. */
  readonly hasNamespace?: boolean;
  /** `variables.NAME`, with the types their expressions have; those that are defined so far. Absent: there are none. */
  readonly variables?: ReadonlyMap<string, Type>;
  /** `Object{}`, `JSONPatch{}` and `jsonpatch.escapeKey`, for mutations. */
  readonly canMutate?: boolean;
  /** What `object` and `oldObject` are, where that is known; and what `params` is. */
  readonly objectKind?: DeclaredKind;
  readonly paramsKind?: DeclaredKind;
}

export interface DeclaredKind {
  /** What messages call it. */
  readonly typeName: string;
  readonly schema: Schema;
}

/** The environment of a policy's expressions: `object`, `oldObject`, `request` and what else is offered. */
export function policyEnvironment(options: PolicyEnvironmentOptions = {}): Environment {
  const { hasParams, hasAuthorizer, hasNamespace, variables, canMutate } = options;
  const object = declare(options.objectKind);
  const params = declare(options.paramsKind);
  // Not a copy: a policy of many variables makes an environment for each.
  const declared = { name: VARIABLES.name, field: (name: string) => variables?.get(name) };
  return new Environment({
    variables: {
      object: object.type,
      oldObject: object.type,
      request: ADMISSION_REQUEST,
      ...(hasParams && { params: params.type }),
      ...(hasNamespace && { namespaceObject: NAMESPACE }),
      ...(hasAuthorizer && { authorizer: AUTHORIZER, 'authorizer.requestResource': RESOURCE_CHECK }),
      ...(variables && { variables: VARIABLES }),
    },
    libraries: canMutate ? mutationLibraries : kubernetesLibraries,
    findStruct: (name) => {
      if (name === VARIABLES.name) return declared;
      const known = findTable(name) ?? object.find(name) ?? params.find(name);
      return known ?? (canMutate ? findMutationType(name) : undefined);
    },
  });
}

const mutationLibraries = [...kubernetesLibraries, jsonPatchLibrary];

interface Declared {
  readonly type: Type;
  find(name: string): StructDeclaration | undefined;
}

/** A whole object of a kind. About one without a schema nothing is known. */
function declare(kind: DeclaredKind | undefined): Declared {
  const root = kind && schemaTypeOf(kind.schema, true);
  if (kind === undefined || root === undefined) return { type: DYN, find: () => undefined };
  return { type: celTypeOf(root, kind.typeName), find: structFinder(root, kind.typeName) };
}
