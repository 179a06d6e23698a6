import type { ApiResponse } from '@pintle/apiserver';
import { denialOf } from '@pintle/apiserver/auth';
import { negotiateResponse } from '@pintle/apiserver/registry';
import { headerOf, isTrue } from '@pintle/apiserver/request';
import type { Endpoint, Endpoints, RequestContext } from '@pintle/apiserver/resource';
import { groupResourceOf, readInteger } from '@pintle/apiserver/resource';
import { findObject } from '@pintle/apiserver/storage';
import type { Pod } from '@pintle/kinds/core/v1';
import { validateLogOptions } from '@pintle/kinds/rules';
import { badRequestError, invalidError, notFoundError, unclassifiedError } from '@pintle/machinery/errors';
import { parseTime } from '@pintle/machinery/time';
import type { CommandOptions } from '../../nodes/command-socket.ts';
import { openCommandSocket } from '../../nodes/command-socket.ts';
import type { ContainerRef, NodeConnector } from '../../nodes/node-connector.ts';
import { admitConnection, forwardOptions, streamOptions } from './admit-connection.ts';
import { kubeletOf, NO_ROUTE } from './node-connection.ts';

/** `pods/log`: empty before a node runs the pod, refused when the node cannot be reached. */
export function logEndpoints(nodes: NodeConnector | undefined): Endpoints {
  return { get: (context) => readLog(context, nodes) };
}

type Action = 'exec' | 'attach' | 'portForward';

/** `exec`, `attach` and `portforward`: refused as in Kubernetes, finally because the node cannot be reached. */
export function connectEndpoints(action: Action, nodes: NodeConnector | undefined): Endpoints {
  const kind = `Pod${action[0]!.toUpperCase()}${action.slice(1)}Options`;
  const connect = async (context: RequestContext): Promise<ApiResponse> => {
    const options = action === 'portForward' ? forwardOptions(context) : streamOptions(context, action);
    await admitConnection(context, kind, options);
    return await openConnection(context, action, nodes);
  };
  return { get: (context) => withCreateRight(context, connect), create: connect };
}

/** Requires the permission to create: browsers can open a WebSocket only with GET, but exec is not a read. */
async function withCreateRight(context: RequestContext, connect: Endpoint): Promise<ApiResponse> {
  const denied = await denialOf(context.authorizer, context.user, { ...context.info, verb: 'create' });
  if (denied !== undefined) throw denied;
  return await connect(context);
}

async function readLog(context: RequestContext, nodes: NodeConnector | undefined): Promise<ApiResponse> {
  const { info } = context;
  // A log is text, but a request that only accepts text is refused, as in Kubernetes.
  negotiateResponse(context, { isPrinted: false });
  const options = readLogOptions(context.query);
  const errors = validateLogOptions(options);
  if (errors.length > 0) throw invalidError({ group: '', kind: 'PodLogOptions' }, info.name, errors);
  const pod = await findPod(context);
  const container = containerOf(pod, context.query.get('container') ?? '');
  const nodeName = pod.spec?.nodeName;
  if (!nodeName) return { status: 204, headers: {}, body: new Uint8Array() };
  if (nodes?.reaches(nodeName)) return await logResponse(context, nodes, refOf(pod, container), options);
  const kubelet = await kubeletOf(context, nodeName);
  const url = `https://${kubelet}/containerLogs/${info.namespace}/${info.name}/${container}`;
  throw unclassifiedError(500, `Get "${url}": ${NO_ROUTE}`);
}

interface LogQuery {
  readonly tailLines?: number;
  readonly limitBytes?: number;
  readonly sinceSeconds?: number;
  readonly sinceTime?: string;
  readonly stream?: string;
}

function readLogOptions(query: URLSearchParams): LogQuery {
  const options = {
    tailLines: readInteger(query, 'tailLines'),
    limitBytes: readInteger(query, 'limitBytes'),
    sinceSeconds: readInteger(query, 'sinceSeconds'),
    sinceTime: readTime(query, 'sinceTime'),
    stream: query.get('stream') ?? undefined,
  };
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
}

function readTime(query: URLSearchParams, name: string): string | undefined {
  const text = query.get(name);
  if (!text) return undefined;
  try {
    parseTime(text);
  } catch (error) {
    throw badRequestError(error instanceof Error ? error.message : String(error));
  }
  return text;
}

async function logResponse(
  { query, clock, request }: RequestContext,
  nodes: NodeConnector,
  ref: ContainerRef,
  options: LogQuery,
): Promise<ApiResponse> {
  const { tailLines, limitBytes, sinceSeconds, sinceTime } = options;
  const sinceMs = sinceSeconds !== undefined ? clock.now() - sinceSeconds * 1_000 : Date.parse(sinceTime ?? '');
  const body = await nodes.logs(
    ref,
    {
      follow: isTrue(query.get('follow')),
      previous: isTrue(query.get('previous')),
      timestamps: isTrue(query.get('timestamps')),
      ...(tailLines !== undefined && { tailLines }),
      ...(limitBytes !== undefined && { limitBytes }),
      ...(!Number.isNaN(sinceMs) && { sinceMs }),
    },
    request.signal,
  );
  return { status: 200, headers: { 'content-type': 'text/plain' }, body };
}

async function openConnection(
  context: RequestContext,
  action: Action,
  nodes: NodeConnector | undefined,
): Promise<ApiResponse> {
  const { request, query } = context;
  const pod = await findPod(context);
  const container = action === 'portForward' ? '' : containerOf(pod, query.get('container') ?? '');
  const nodeName = pod.spec?.nodeName;
  if (!nodeName) throw badRequestError(`pod ${context.info.name} does not have a host assigned`);
  if (nodes?.reaches(nodeName) && action !== 'portForward') {
    const ref = refOf(pod, container);
    const command = query.getAll('command');
    return openCommandSocket(request, streamsWanted(query), (streams) =>
      action === 'exec' ? nodes.exec(ref, command, streams) : nodes.attach(ref, streams),
    );
  }
  const kubelet = await kubeletOf(context, nodeName);
  const wantsUpgrade = /\bupgrade\b/i.test(headerOf(request, 'connection') ?? '');
  if (!wantsUpgrade) throw badRequestError('Upgrade request required');
  throw unclassifiedError(500, `error dialing backend: dial tcp ${kubelet}: ${NO_ROUTE}`);
}

function streamsWanted(query: URLSearchParams): CommandOptions {
  const isWanted = (name: string, otherwise: boolean): boolean =>
    query.has(name) ? isTrue(query.get(name)) : otherwise;
  return { stdin: isWanted('stdin', false), stderr: isWanted('stderr', true), tty: isWanted('tty', false) };
}

function refOf({ metadata, spec }: Pod, container: string): ContainerRef {
  const { namespace = '', name = '', uid = '' } = metadata;
  return { node: spec?.nodeName ?? '', namespace, pod: name, uid, container };
}

async function findPod({ store, resource, info }: RequestContext): Promise<Pod> {
  const found = await findObject(store, resource, info.namespace, info.name);
  if (found === undefined) throw notFoundError(groupResourceOf(resource), info.name);
  return found.object as Pod;
}

/** Returns the requested container, or the only one. */
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
