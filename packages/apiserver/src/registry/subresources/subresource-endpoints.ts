import type { GroupResource } from '@pintle/machinery';
import { table } from '@pintle/machinery/table';
import type { Endpoints } from '../endpoint.ts';
import { bindingEndpoints } from './binding.ts';
import { connectEndpoints, logEndpoints } from './connect.ts';
import { evictionEndpoints } from './eviction.ts';
import { nodeProxy, podProxy, serviceProxy } from './proxy.ts';
import { scaleEndpoints } from './scale.ts';
import { tokenEndpoints } from './token-request.ts';

const ENDPOINTS: Readonly<Record<string, Endpoints | 'unserved'>> = table({
  '/replicationcontrollers/scale': scaleEndpoints,
  'apps/deployments/scale': scaleEndpoints,
  'apps/replicasets/scale': scaleEndpoints,
  'apps/statefulsets/scale': scaleEndpoints,
  '/pods/binding': bindingEndpoints,
  '/pods/eviction': evictionEndpoints,
  '/pods/log': logEndpoints,
  '/pods/exec': connectEndpoints('exec'),
  '/pods/attach': connectEndpoints('attach'),
  '/pods/portforward': connectEndpoints('portForward'),
  '/pods/proxy': podProxy,
  '/services/proxy': serviceProxy,
  '/nodes/proxy': nodeProxy,
  '/serviceaccounts/token': tokenEndpoints,
});

/** How a built-in subresource is served. `undefined`: it shows the object and changes the part its rules allow. */
export function subresourceEndpoints(
  { group, resource }: GroupResource,
  name: string,
): Endpoints | 'unserved' | undefined {
  return ENDPOINTS[`${group}/${resource}/${name}`];
}
