import { FieldPath, required } from '@pintle/machinery/errors';
import { deepEqual } from '@pintle/machinery/json';
import {
  validateDns1123Label,
  validateDns1123Subdomain,
  validateLegacyIp,
  validatePortNumber,
  validateQualifiedName,
  warningsForIp,
} from '@pintle/machinery/names';
import type { ResourceRules } from '@pintle/machinery/rules';
import type { EndpointAddress, EndpointPort, EndpointSubset, Endpoints } from '../../../generated/core/v1.ts';
import { type Check, checkChoice, collect, problems } from '../../common/checks.ts';
import { age, ageColumn, column, listWithMore, nameColumn, nameOf } from '../../common/printers.ts';
import { checkEndpointIp } from './endpoint-ip.ts';
import { protocols } from './service-validation.ts';

export const endpointsRules: ResourceRules<Endpoints> = {
  metadataChecks: ['update', 'create'],
  createOnUpdate: true,
  default: (endpoints) => {
    for (const { ports = [] } of endpoints.subsets ?? []) for (const port of ports) port.protocol ??= 'TCP';
  },
  validate: (endpoints) => collect(checkSubsets(endpoints)),
  validateUpdate: (next, previous) => (deepEqual(next.subsets, previous.subsets) ? [] : [...checkSubsets(next)]),
  warnings: addressWarnings,
  printer: {
    columns: [nameColumn, column('Endpoints'), ageColumn],
    row: (endpoints, context) => [nameOf(endpoints), formatSubsets(endpoints.subsets ?? []), age(endpoints, context)],
  },
};

function* checkSubsets({ subsets = [] }: Endpoints): Check {
  for (const [index, { addresses = [], notReadyAddresses = [], ports = [] }] of subsets.entries()) {
    const path = FieldPath.of('subsets').index(index);
    if (addresses.length === 0 && notReadyAddresses.length === 0)
      yield required(path, 'must specify `addresses` or `notReadyAddresses`');
    for (const [at, address] of addresses.entries()) yield* checkAddress(address, path.child('addresses').index(at));
    for (const [at, address] of notReadyAddresses.entries())
      yield* checkAddress(address, path.child('notReadyAddresses').index(at));
    for (const [at, port] of ports.entries()) yield* checkPort(port, ports.length > 1, path.child('ports').index(at));
  }
}

function* checkAddress({ ip, hostname, nodeName }: EndpointAddress, path: FieldPath): Check {
  yield* validateLegacyIp(ip, path.child('ip'));
  if (hostname) yield* problems(path.child('hostname'), hostname, validateDns1123Label(hostname));
  if (nodeName !== undefined) yield* problems(path.child('nodeName'), nodeName, validateDns1123Subdomain(nodeName));
  yield* checkEndpointIp(ip, path.child('ip'));
}

function* checkPort({ name, port, protocol, appProtocol }: EndpointPort, needsName: boolean, path: FieldPath): Check {
  if (name) yield* problems(path.child('name'), name, validateDns1123Label(name));
  else if (needsName) yield required(path.child('name'));
  yield* problems(path.child('port'), port, validatePortNumber(port));
  yield* checkChoice(path.child('protocol'), protocol, protocols);
  if (appProtocol !== undefined)
    yield* problems(path.child('appProtocol'), appProtocol, validateQualifiedName(appProtocol));
}

/** Skips objects of the endpoints controller, whose addresses are always valid. */
function addressWarnings({ metadata, subsets = [] }: Endpoints): readonly string[] {
  if (metadata.labels?.['endpoints.kubernetes.io/managed-by'] === 'endpoint-controller') return [];
  return subsets.flatMap((subset, index) =>
    (['addresses', 'notReadyAddresses'] as const).flatMap((field) =>
      (subset[field] ?? []).flatMap(({ ip }, at) =>
        warningsForIp(ip, FieldPath.of('subsets').index(index).child(field).index(at).child('ip')),
      ),
    ),
  );
}

function formatSubsets(subsets: readonly EndpointSubset[]): string {
  if (subsets.length === 0) return '<none>';
  return listWithMore(
    subsets.flatMap(({ addresses = [], ports = [] }) =>
      ports.length === 0
        ? addresses.map(({ ip }) => ip)
        : ports.flatMap(({ port }) =>
            addresses.map(({ ip }) => (ip.includes(':') ? `[${ip}]:${port}` : `${ip}:${port}`)),
          ),
    ),
  );
}
