import { scaleEndpoints } from '@pintle/apiserver/registry';
import type { Endpoints } from '@pintle/apiserver/resource';
import type { GroupResource } from '@pintle/machinery';
import { table } from '@pintle/machinery/table';
import type { BuiltinServices } from '../builtin-services.ts';
import { bindingEndpoints } from './binding.ts';
import { connectEndpoints, logEndpoints } from './connect.ts';
import { evictionEndpoints } from './eviction.ts';
import { nodeProxy, podProxy, serviceProxy } from './proxy.ts';
import { tokenEndpoints } from './token-request.ts';

/**
 * Returns the endpoints of built-in subresources; `undefined` when the subresource returns the object and changes the
 * part its rules allow.
 */
type SubresourceEndpoints = (resource: GroupResource, name: string) => Endpoints | 'unserved' | undefined;

export function subresourceEndpoints({ nodes, accountTokens }: BuiltinServices): SubresourceEndpoints {
  const endpoints: Readonly<Record<string, Endpoints | 'unserved'>> = table({
    '/replicationcontrollers/scale': scaleEndpoints,
    'apps/deployments/scale': scaleEndpoints,
    'apps/replicasets/scale': scaleEndpoints,
    'apps/statefulsets/scale': scaleEndpoints,
    '/pods/binding': bindingEndpoints,
    '/pods/eviction': evictionEndpoints,
    '/pods/log': logEndpoints(nodes),
    '/pods/exec': connectEndpoints('exec', nodes),
    '/pods/attach': connectEndpoints('attach', nodes),
    '/pods/portforward': connectEndpoints('portForward', nodes),
    '/pods/proxy': podProxy,
    '/services/proxy': serviceProxy,
    '/nodes/proxy': nodeProxy(nodes),
    '/serviceaccounts/token': tokenEndpoints(accountTokens),
  });
  return ({ group, resource }, name) => endpoints[`${group}/${resource}/${name}`];
}
