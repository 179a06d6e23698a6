import {
  negotiateResponse,
  ObjectFilter,
  objectListResponse,
  objectResponse,
  readListOptions,
} from '@pintle/apiserver/registry';
import type { Endpoints, RequestContext } from '@pintle/apiserver/resource';
import { groupResourceOf } from '@pintle/apiserver/resource';
import type { KubernetesObject } from '@pintle/machinery';
import { notFoundError } from '@pintle/machinery/errors';
import type { ComputedObjects, ComputedQuery } from './serve-kinds.ts';

/** Serves objects that are computed on request, in all forms of stored ones. */
export function computedEndpoints(objects: ComputedObjects<KubernetesObject>): Endpoints {
  return {
    get: async (context) => {
      const form = negotiateResponse(context);
      const found = await objects.get(context.info.name, queryOf(context));
      if (found === undefined) throw notFoundError(groupResourceOf(context.resource), context.info.name);
      return await objectResponse(context, form, 200, typed(context, found));
    },
    list: async (context) => {
      const filter = new ObjectFilter(context.resource, readListOptions(context.query, { isWatch: false }));
      const form = negotiateResponse(context);
      const all = await objects.list(queryOf(context));
      const shown = all.map((object) => typed(context, object)).filter((object) => filter.matches(object));
      return await objectListResponse(context, form, {}, shown);
    },
  };
}

function queryOf({ info, user, request }: RequestContext): ComputedQuery {
  return {
    namespace: info.namespace,
    user,
    get signal() {
      return request.signal;
    },
  };
}

function typed({ resource }: RequestContext, object: KubernetesObject): KubernetesObject {
  const { apiVersion, kind } = resource.type;
  return { ...object, apiVersion, kind };
}
