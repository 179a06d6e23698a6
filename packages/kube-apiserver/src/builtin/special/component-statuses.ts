import type { ApiResponse } from '@pintle/apiserver';
import {
  negotiateResponse,
  ObjectFilter,
  objectListResponse,
  objectResponse,
  readListOptions,
} from '@pintle/apiserver/registry';
import type { Endpoints, RequestContext } from '@pintle/apiserver/resource';
import type { KubernetesObject } from '@pintle/machinery';
import { notFoundError } from '@pintle/machinery/errors';

/** Reports only the server's own storage: the server knows no other components. */
export const componentStatuses: Endpoints = { get: getStatus, list: listStatuses };

async function getStatus(context: RequestContext): Promise<ApiResponse> {
  const form = negotiateResponse(context);
  const found = statuses().find(({ metadata }) => metadata.name === context.info.name);
  if (found === undefined) throw notFoundError({ group: '', resource: 'componentstatus' }, context.info.name);
  return await objectResponse(context, form, 200, found);
}

async function listStatuses(context: RequestContext): Promise<ApiResponse> {
  const form = negotiateResponse(context);
  const filter = new ObjectFilter(context.resource, readListOptions(context.query, { isWatch: false }));
  const shown = statuses().filter((status) => filter.matches(status));
  return await objectListResponse(context, form, {}, shown);
}

function statuses(): (KubernetesObject & { conditions: object[] })[] {
  const conditions = [{ type: 'Healthy', status: 'True', message: 'ok' }];
  return [{ kind: 'ComponentStatus', apiVersion: 'v1', metadata: { name: 'etcd-0' }, conditions }];
}
