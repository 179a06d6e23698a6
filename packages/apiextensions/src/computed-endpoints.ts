import {
  answerObject,
  answerObjects,
  negotiateAnswer,
  ObjectFilter,
  readListOptions,
} from '@pintle/apiserver/registry';
import type { EndpointCall, Endpoints } from '@pintle/apiserver/resource';
import { groupResourceOf } from '@pintle/apiserver/resource';
import type { KubernetesObject } from '@pintle/machinery';
import { notFoundError } from '@pintle/machinery/errors';
import type { ComputedObjects, ComputedQuery } from './serve-kinds.ts';

/** Serves objects that are computed on request, in all forms of stored ones. */
export function computedEndpoints(objects: ComputedObjects<KubernetesObject>): Endpoints {
  return {
    get: async (call) => {
      const form = negotiateAnswer(call);
      const found = await objects.get(call.info.name, queryOf(call));
      if (found === undefined) throw notFoundError(groupResourceOf(call.resource), call.info.name);
      return await answerObject(call, form, 200, typed(call, found));
    },
    list: async (call) => {
      const filter = new ObjectFilter(call.resource, readListOptions(call.query, { isWatch: false }));
      const form = negotiateAnswer(call);
      const all = await objects.list(queryOf(call));
      const shown = all.map((object) => typed(call, object)).filter((object) => filter.matches(object));
      return await answerObjects(call, form, {}, shown);
    },
  };
}

function queryOf({ info, user, request }: EndpointCall): ComputedQuery {
  return {
    namespace: info.namespace,
    user,
    get signal() {
      return request.signal;
    },
  };
}

function typed({ resource }: EndpointCall, object: KubernetesObject): KubernetesObject {
  const { apiVersion, kind } = resource.type;
  return { ...object, apiVersion, kind };
}
