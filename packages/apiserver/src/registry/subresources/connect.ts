import type { Pod } from '@pintle/kinds/core/v1';
import { validateLogOptions } from '@pintle/kinds/rules';
import { badRequestError, invalidError, notFoundError, unclassifiedError } from '@pintle/machinery/errors';
import { denialOf } from '../../auth/permission.ts';
import type { ApiResponse } from '../../http/exchange.ts';
import { headerOf } from '../../http/exchange.ts';
import { findObject } from '../../storage/object-store.ts';
import type { Endpoint, EndpointCall, Endpoints } from '../endpoint.ts';
import { readInteger } from '../options.ts';
import { groupResourceOf } from '../served-resource.ts';
import { admitConnection, forwardOptions, streamOptions } from './admit-connection.ts';
import { kubeletOf, NO_ROUTE } from './node-connection.ts';

/** `pods/log`: empty while no node runs the pod. What a node has is out of this server's reach. */
export const logEndpoints: Endpoints = { get: readLog };

/** `exec`, `attach` and `portforward`: refused as Kubernetes does, the last reason being that nodes are out of reach. */
export function connectEndpoints(action: 'exec' | 'attach' | 'portForward'): Endpoints {
  const kind = `Pod${action[0]!.toUpperCase()}${action.slice(1)}Options`;
  const connect = async (call: EndpointCall): Promise<ApiResponse> => {
    const options = action === 'portForward' ? forwardOptions(call) : streamOptions(call, action);
    await admitConnection(call, kind, options);
    return await refuseConnection(call, action);
  };
  return { get: (call) => withCreateRight(call, connect), create: connect };
}

/** A browser can only open a WebSocket with GET; what it then does inside a pod is no mere reading. */
async function withCreateRight(call: EndpointCall, connect: Endpoint): Promise<ApiResponse> {
  const denied = await denialOf(call.authorizer, call.user, { ...call.info, verb: 'create' });
  if (denied !== undefined) throw denied;
  return await connect(call);
}

async function readLog(call: EndpointCall): Promise<ApiResponse> {
  const { info } = call;
  const errors = validateLogOptions(readLogOptions(call.query));
  if (errors.length > 0) throw invalidError({ group: '', kind: 'PodLogOptions' }, info.name, errors);
  const pod = await findPod(call);
  const container = containerOf(pod, call.query.get('container') ?? '');
  const nodeName = pod.spec?.nodeName;
  if (!nodeName) return { status: 204, headers: {}, body: new Uint8Array() };
  const kubelet = await kubeletOf(call, nodeName);
  const url = `https://${kubelet}/containerLogs/${info.namespace}/${info.name}/${container}`;
  throw unclassifiedError(500, `Get "${url}": ${NO_ROUTE}`);
}

function readLogOptions(query: URLSearchParams) {
  const options = {
    tailLines: readInteger(query, 'tailLines'),
    limitBytes: readInteger(query, 'limitBytes'),
    sinceSeconds: readInteger(query, 'sinceSeconds'),
    sinceTime: query.get('sinceTime') || undefined,
  };
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
}

async function refuseConnection(call: EndpointCall, action: string): Promise<never> {
  const pod = await findPod(call);
  if (action !== 'portForward') containerOf(pod, call.query.get('container') ?? '');
  const nodeName = pod.spec?.nodeName;
  if (!nodeName) throw badRequestError(`pod ${call.info.name} does not have a host assigned`);
  const kubelet = await kubeletOf(call, nodeName);
  const wantsUpgrade = /\bupgrade\b/i.test(headerOf(call.request, 'connection') ?? '');
  if (!wantsUpgrade) throw badRequestError('Upgrade request required');
  throw unclassifiedError(500, `error dialing backend: dial tcp ${kubelet}: ${NO_ROUTE}`);
}

async function findPod({ store, resource, info }: EndpointCall): Promise<Pod> {
  const found = await findObject(store, resource, info.namespace, info.name);
  if (found === undefined) throw notFoundError(groupResourceOf(resource), info.name);
  return found.object as Pod;
}

/** The container that is meant. It may go without saying where there is only one. */
function containerOf({ metadata, spec }: Pod, wanted: string): string {
  const { initContainers = [], containers = [], ephemeralContainers = [] } = spec ?? {};
  const names = [...initContainers, ...containers, ...ephemeralContainers].map(({ name }) => name);
  if (wanted !== '') {
    if (!names.includes(wanted)) throw badRequestError(`container ${wanted} is not valid for pod ${metadata.name}`);
    return wanted;
  }
  if (containers.length === 1) return containers[0]!.name;
  const choice = containers.length === 0 ? '' : `, choose one of: [${names.join(' ')}]`;
  throw badRequestError(`a container name must be specified for pod ${metadata.name}${choice}`);
}
