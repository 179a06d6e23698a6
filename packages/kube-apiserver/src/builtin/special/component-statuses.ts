import type { ApiResponse } from '@pintle/apiserver';
import {
  answerObject,
  answerObjects,
  negotiateAnswer,
  ObjectFilter,
  readListOptions,
} from '@pintle/apiserver/registry';
import type { EndpointCall, Endpoints } from '@pintle/apiserver/resource';
import type { KubernetesObject } from '@pintle/machinery';
import { notFoundError } from '@pintle/machinery/errors';

/** Reports only the server's own storage: the server knows no other components. */
export const componentStatuses: Endpoints = { get: getStatus, list: listStatuses };

async function getStatus(call: EndpointCall): Promise<ApiResponse> {
  const form = negotiateAnswer(call);
  const found = statuses().find(({ metadata }) => metadata.name === call.info.name);
  if (found === undefined) throw notFoundError({ group: '', resource: 'componentstatus' }, call.info.name);
  return await answerObject(call, form, 200, found);
}

async function listStatuses(call: EndpointCall): Promise<ApiResponse> {
  const form = negotiateAnswer(call);
  const filter = new ObjectFilter(call.resource, readListOptions(call.query, { isWatch: false }));
  const shown = statuses().filter((status) => filter.matches(status));
  return await answerObjects(call, form, {}, shown);
}

function statuses(): (KubernetesObject & { conditions: object[] })[] {
  const conditions = [{ type: 'Healthy', status: 'True', message: 'ok' }];
  return [{ kind: 'ComponentStatus', apiVersion: 'v1', metadata: { name: 'etcd-0' }, conditions }];
}
