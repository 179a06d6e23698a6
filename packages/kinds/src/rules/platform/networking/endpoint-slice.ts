import { duplicate, FieldPath, invalid, required, tooMany } from '@pintle/machinery/errors';
import { deepEqual } from '@pintle/machinery/json';
import {
  ipFamilyOf,
  parseIp,
  validateDns1123Label,
  validateDns1123Subdomain,
  validateFullyQualifiedDomainName,
  validateIp,
  validateLabels,
  validateLabelValue,
  validateLegacyIp,
  validateQualifiedName,
  warningsForIp,
} from '@pintle/machinery/names';
import type { ResourceRules } from '@pintle/machinery/rules';
import type { Endpoint, EndpointHints, EndpointPort, EndpointSlice } from '../../../generated/discovery/v1.ts';
import { type Check, checkChoice, checkSetChoice, checkUnchanged, collect, problems } from '../../common/checks.ts';
import { age, ageColumn, column, listWithMore, nameColumn, nameOf } from '../../common/printers.ts';
import { checkEndpointIp } from '../core/endpoint-ip.ts';

const max = { endpoints: 1000, addresses: 100, ports: 20_000, hints: 8, topology: 16 };

export const endpointSliceRules: ResourceRules<EndpointSlice> = {
  metadataChecks: ['create'],
  tracksGeneration: true,
  default: ({ ports }) => {
    for (const port of ports ?? []) {
      port.name ??= '';
      port.protocol ??= 'TCP';
    }
  },
  prepareForCreate: dropTopology,
  prepareForUpdate: (next, previous) => {
    raiseGeneration(next, previous);
    if (!deepEqual(next.endpoints, previous.endpoints)) dropTopology(next);
  },
  validate: (slice) => collect(checkSlice(slice, undefined)),
  validateUpdate: (next, previous) => [
    ...checkSlice(next, previous),
    ...checkUnchanged(FieldPath.of('addressType'), next.addressType, previous.addressType),
  ],
  warnings: sliceWarnings,
  printer: {
    columns: [nameColumn, column('AddressType'), column('Ports'), column('Endpoints'), ageColumn],
    row: (slice, context) => [
      nameOf(slice),
      slice.addressType,
      formatPorts(slice.ports ?? []),
      listWithMore((slice.endpoints ?? []).flatMap(({ addresses }) => addresses ?? [])) || '<unset>',
      age(slice, context),
    ],
  },
};

/** Raises the generation for changes of labels too, which name the slice's service. */
function raiseGeneration(next: EndpointSlice, previous: EndpointSlice): void {
  const { metadata, ...content } = next;
  const { metadata: before, ...former } = previous;
  if (deepEqual(content, former) && deepEqual(metadata.labels ?? {}, before.labels ?? {})) return;
  metadata.generation = (before.generation ?? 0) + 1;
}

/** Drops the deprecated topology, which zones and node names have replaced; slices that are not written keep it. */
function dropTopology({ endpoints }: EndpointSlice): void {
  for (const endpoint of endpoints ?? []) delete endpoint.deprecatedTopology;
}

function* checkSlice(slice: EndpointSlice, previous: EndpointSlice | undefined): Check {
  yield* checkChoice(FieldPath.of('addressType'), slice.addressType, ['FQDN', 'IPv4', 'IPv6']);
  yield* checkPorts(slice.ports ?? []);
  if (previous !== undefined && deepEqual(slice.endpoints, previous.endpoints)) return;
  const path = FieldPath.of('endpoints');
  const endpoints = slice.endpoints ?? [];
  if (endpoints.length > max.endpoints) {
    yield tooMany(path, endpoints.length, max.endpoints);
    return;
  }
  for (const [index, endpoint] of endpoints.entries())
    yield* checkEndpoint(endpoint, slice.addressType, path.index(index));
}

function* checkPorts(ports: readonly EndpointPort[]): Check {
  const path = FieldPath.of('ports');
  if (ports.length > max.ports) yield tooMany(path, ports.length, max.ports);
  const names = new Set<string>();
  for (const [index, { name = '', protocol, appProtocol }] of ports.entries()) {
    const at = path.index(index);
    if (name !== '') yield* problems(at.child('name'), name, validateDns1123Label(name));
    if (names.has(name)) yield duplicate(at.child('name'), name);
    names.add(name);
    yield* checkSetChoice(at.child('protocol'), protocol, ['SCTP', 'TCP', 'UDP']);
    if (appProtocol !== undefined)
      yield* problems(at.child('appProtocol'), appProtocol, validateQualifiedName(appProtocol));
  }
}

function* checkEndpoint(endpoint: Endpoint, addressType: string, path: FieldPath): Check {
  const addresses = endpoint.addresses ?? [];
  const at = path.child('addresses');
  if (addresses.length === 0) yield required(at, 'must contain at least 1 address');
  else if (addresses.length > max.addresses) yield tooMany(at, addresses.length, max.addresses);
  for (const [index, address] of addresses.entries()) {
    if (addressType === 'FQDN') yield* validateFullyQualifiedDomainName(address, at.index(index));
    else if (addressType === 'IPv4' || addressType === 'IPv6') yield* checkAddress(address, addressType, at, index);
  }
  const { nodeName, hostname, deprecatedTopology = {}, hints } = endpoint;
  if (nodeName !== undefined) yield* problems(path.child('nodeName'), nodeName, validateDns1123Subdomain(nodeName));
  const labels = Object.keys(deprecatedTopology).length;
  if (labels > max.topology) yield tooMany(path.child('deprecatedTopology'), labels, max.topology);
  yield* validateLabels(deprecatedTopology, path.child('deprecatedTopology'));
  if (hostname !== undefined) yield* problems(path.child('hostname'), hostname, validateDns1123Label(hostname));
  if (hints !== undefined) yield* checkHints(hints, path.child('hints'));
}

/** Reports an address of the wrong family at the list, as in Kubernetes. */
function* checkAddress(address: string, type: 'IPv4' | 'IPv6', path: FieldPath, index: number): Check {
  const at = path.index(index);
  const errors = type === 'IPv4' ? validateLegacyIp(address, at) : validateIp(address, at);
  yield* errors;
  if (errors.length > 0) return;
  if (`IPv${ipFamilyOf(parseIp(address)!)}` !== type) yield invalid(path, address, `must be an ${type} address`);
  yield* checkEndpointIp(address, at);
}

function* checkHints({ forZones = [], forNodes = [] }: EndpointHints, path: FieldPath): Check {
  yield* checkHintNames(forZones, path.child('forZones'), validateLabelValue);
  yield* checkHintNames(forNodes, path.child('forNodes'), validateDns1123Subdomain);
}

function* checkHintNames(
  hints: readonly { name: string }[],
  path: FieldPath,
  validate: (name: string) => readonly string[],
): Check {
  if (hints.length > max.hints) yield tooMany(path, hints.length, max.hints);
  const seen = new Set<string>();
  for (const [index, { name }] of hints.entries()) {
    const at = path.index(index).child('name');
    if (seen.has(name)) yield duplicate(at, name);
    seen.add(name);
    yield* problems(at, name, validate(name));
  }
}

function sliceWarnings(
  { addressType, endpoints }: EndpointSlice,
  previous: EndpointSlice | undefined,
): readonly string[] {
  if (addressType === 'FQDN') return previous ? [] : ['spec.addressType: FQDN endpoints are deprecated'];
  return (endpoints ?? []).flatMap(({ addresses }, index) =>
    (addresses ?? []).flatMap((address, at) =>
      warningsForIp(address, FieldPath.of('endpoints').index(index).child('addresses').index(at)),
    ),
  );
}

function formatPorts(ports: readonly EndpointPort[]): string {
  return listWithMore(ports.map(({ port, name }) => (port === undefined ? (name ?? '*') : String(port)))) || '<unset>';
}
