import type { KubernetesObject } from '@pintle/machinery';
import { notFoundError } from '@pintle/machinery/errors';
import type { JsonObject } from '@pintle/machinery/json';
import type { ApiResponse } from '../../http/exchange.ts';
import { answerObject, answerValue, negotiateAnswer } from '../answer.ts';
import type { EndpointCall, Endpoints } from '../endpoint.ts';
import { groupResourceOf } from '../served-resource.ts';
import { tableOf } from '../table.ts';

/** Of the parts of a control plane, this server knows about its own storage alone. */
export const componentStatuses: Endpoints = { get: getStatus, list: listStatuses };

async function getStatus(call: EndpointCall): Promise<ApiResponse> {
  const form = negotiateAnswer(call, ['Table', 'PartialObjectMetadata']);
  const found = statuses().find(({ metadata }) => metadata.name === call.info.name);
  if (found === undefined) throw notFoundError(groupResourceOf(call.resource), call.info.name);
  return await answerObject(call, form, 200, found);
}

async function listStatuses(call: EndpointCall): Promise<ApiResponse> {
  const form = negotiateAnswer(call, ['Table']);
  const objects = statuses();
  if (form.transform?.as === 'Table') {
    return await answerValue(form, 200, tableOf(call, form.transform.version, objects, {}));
  }
  const items = objects.map(({ kind: _kind, apiVersion: _apiVersion, ...rest }) => rest as unknown as JsonObject);
  const list = { kind: 'ComponentStatusList', apiVersion: 'v1', metadata: {}, items };
  return await answerValue(form, 200, list);
}

function statuses(): (KubernetesObject & { conditions: object[] })[] {
  const conditions = [{ type: 'Healthy', status: 'True', message: 'ok' }];
  return [{ kind: 'ComponentStatus', apiVersion: 'v1', metadata: { name: 'etcd-0' }, conditions }];
}
