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

/** Variables and types of a policy's expressions, or of a webhook's match conditions. */
export interface PolicyEnvironmentOptions {
  /** Declares `params`. */
  readonly hasParams?: boolean;
  /** Declares `authorizer` and `authorizer.requestResource`. Not for message expressions. */
  readonly hasAuthorizer?: boolean;
  /** Declares `namespaceObject`. Not for webhooks. */
  readonly hasNamespace?: boolean;
  /** Types of `variables.NAME` that are defined so far. Absent: `variables` is not declared. */
  readonly variables?: ReadonlyMap<string, Type>;
  /** Declares `Object{}`, `JSONPatch{}` and `jsonpatch.escapeKey`, for mutations. */
  readonly canMutate?: boolean;
  /** Type of `object` and `oldObject`, and of `params`, where known. */
  readonly objectKind?: DeclaredKind;
  readonly paramsKind?: DeclaredKind;
}

export interface DeclaredKind {
  /** Name of the type in messages. */
  readonly typeName: string;
  readonly schema: Schema;
}

/** Returns the environment of a policy's expressions: `object`, `oldObject`, `request` and the options. */
export function policyEnvironment(options: PolicyEnvironmentOptions = {}): Environment {
  const { hasParams, hasAuthorizer, hasNamespace, variables, canMutate } = options;
  const object = declare(options.objectKind);
  const params = declare(options.paramsKind);
  // Not a copy: a policy with many variables creates an environment for each.
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

/** Declares the type of an object. One without a schema is dynamic. */
function declare(kind: DeclaredKind | undefined): Declared {
  const root = kind && schemaTypeOf(kind.schema, true);
  if (kind === undefined || root === undefined) return { type: DYN, find: () => undefined };
  return { type: celTypeOf(root, kind.typeName), find: structFinder(root, kind.typeName) };
}
