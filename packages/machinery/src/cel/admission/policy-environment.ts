import { Environment } from '../check/environment.ts';
import { AUTHORIZER, RESOURCE_CHECK } from '../functions/authorization.ts';
import { jsonPatchLibrary } from '../functions/json-patch.ts';
import { kubernetesLibraries } from '../functions/libraries.ts';
import { DYN, structType, type Type } from '../types/type.ts';
import { findMutationType } from './mutation-types.ts';
import { ADMISSION_REQUEST, findTable, NAMESPACE, tableOf } from './struct-tables.ts';

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
}

/** The environment of a policy's expressions: `object`, `oldObject`, `request` and what else is offered. */
export function policyEnvironment(options: PolicyEnvironmentOptions = {}): Environment {
  const { hasParams, hasAuthorizer, hasNamespace, variables, canMutate } = options;
  const declared = tableOf(VARIABLES.name, Object.fromEntries(variables ?? []));
  return new Environment({
    variables: {
      object: DYN,
      oldObject: DYN,
      request: ADMISSION_REQUEST,
      ...(hasParams && { params: DYN }),
      ...(hasNamespace && { namespaceObject: NAMESPACE }),
      ...(hasAuthorizer && { authorizer: AUTHORIZER, 'authorizer.requestResource': RESOURCE_CHECK }),
      ...(variables && { variables: VARIABLES }),
    },
    libraries: canMutate ? mutationLibraries : kubernetesLibraries,
    findStruct: (name) => {
      if (name === VARIABLES.name) return declared;
      return findTable(name) ?? (canMutate ? findMutationType(name) : undefined);
    },
  });
}

const mutationLibraries = [...kubernetesLibraries, jsonPatchLibrary];
