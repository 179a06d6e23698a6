import { FieldPath, forbidden, invalid, notSupported, required } from '@pintle/machinery/errors';
import {
  cidrContains,
  parseCidr,
  validateLegacyCidr,
  validatePortName,
  validatePortNumber,
  warningsForCidr,
} from '@pintle/machinery/names';
import type { ResourceRules } from '@pintle/machinery/rules';
import { formatLabelSelector, validateLabelSelector } from '@pintle/machinery/selectors';
import type {
  IPBlock,
  NetworkPolicy,
  NetworkPolicyPeer,
  NetworkPolicyPort,
  NetworkPolicySpec,
} from '../../../generated/networking/v1.ts';
import { type Check, collect, problems } from '../../common/checks.ts';
import { ensure } from '../../common/object-fields.ts';
import { age, ageColumn, column, nameColumn, nameOf } from '../../common/printers.ts';

const path = FieldPath.of('spec');

export const networkPolicyRules: ResourceRules<NetworkPolicy> = {
  tracksGeneration: true,
  countsEmptyAsChange: true,
  default: defaultPolicy,
  validate: ({ spec }) => collect(checkSpec(spec ?? {}, new Set())),
  validateUpdate: (next, previous) => collect(checkSpec(next.spec ?? {}, rangesIn(previous.spec ?? {}))),
  warnings: ({ spec }) => [...rangeWarnings(spec ?? {})],
  printer: {
    columns: [nameColumn, column('Pod-Selector'), ageColumn],
    row: (policy, context) => [nameOf(policy), formatLabelSelector(policy.spec?.podSelector), age(policy, context)],
  },
};

/** A policy applies to ingress by default, and to egress if it has rules for it. */
function defaultPolicy(policy: NetworkPolicy): void {
  const spec = ensure(policy, 'spec');
  if (!spec.policyTypes?.length) spec.policyTypes = spec.egress?.length ? ['Ingress', 'Egress'] : ['Ingress'];
  for (const { ports = [] } of [...(spec.ingress ?? []), ...(spec.egress ?? [])])
    for (const port of ports) port.protocol ??= 'TCP';
}

/** Stored ranges may stay, in whatever form. */
function rangesIn({ ingress = [], egress = [] }: NetworkPolicySpec): ReadonlySet<string> {
  const peers = [...ingress.flatMap(({ from = [] }) => from), ...egress.flatMap(({ to = [] }) => to)];
  const blocks = peers.flatMap(({ ipBlock }) => ipBlock ?? []);
  return new Set(blocks.flatMap(({ cidr, except = [] }) => [cidr, ...except]));
}

function* rangeWarnings({ ingress = [], egress = [] }: NetworkPolicySpec): Generator<string> {
  for (const [index, { from = [] }] of ingress.entries())
    yield* peerWarnings(from, path.child('ingress').index(index).child('from'));
  for (const [index, { to = [] }] of egress.entries())
    yield* peerWarnings(to, path.child('egress').index(index).child('to'));
}

function* peerWarnings(peers: readonly NetworkPolicyPeer[], at: FieldPath): Generator<string> {
  for (const [index, { ipBlock }] of peers.entries()) {
    if (ipBlock === undefined) continue;
    const block = at.index(index).child('ipBlock');
    yield* warningsForCidr(ipBlock.cidr, block.child('cidr'));
    for (const [position, range] of (ipBlock.except ?? []).entries())
      yield* warningsForCidr(range, block.child('except').index(position));
  }
}

function* checkSpec(spec: NetworkPolicySpec, knownRanges: ReadonlySet<string>): Check {
  yield* validateLabelSelector(spec.podSelector, path.child('podSelector'));
  for (const [index, { ports = [], from = [] }] of (spec.ingress ?? []).entries())
    yield* checkRule(path.child('ingress').index(index), ports, from, 'from', knownRanges);
  for (const [index, { ports = [], to = [] }] of (spec.egress ?? []).entries())
    yield* checkRule(path.child('egress').index(index), ports, to, 'to', knownRanges);
  yield* checkPolicyTypes(spec.policyTypes ?? []);
}

function* checkRule(
  at: FieldPath,
  ports: readonly NetworkPolicyPort[],
  peers: readonly NetworkPolicyPeer[],
  peerField: string,
  knownRanges: ReadonlySet<string>,
): Check {
  for (const [index, port] of ports.entries()) yield* checkPolicyPort(port, at.child('ports').index(index));
  for (const [index, peer] of peers.entries()) yield* checkPeer(peer, at.child(peerField).index(index), knownRanges);
}

const protocols = ['TCP', 'UDP', 'SCTP'];

function* checkPolicyPort({ protocol, port, endPort }: NetworkPolicyPort, at: FieldPath): Check {
  if (protocol !== undefined && !protocols.includes(protocol))
    yield notSupported(at.child('protocol'), protocol, protocols);
  const endPath = at.child('endPort');
  if (port === undefined) {
    if (endPort !== undefined) yield invalid(endPath, endPort, 'may not be specified when `port` is not specified');
  } else if (typeof port === 'number') {
    yield* problems(at.child('port'), port, validatePortNumber(port));
    if (endPort === undefined) return;
    if (endPort < port) yield invalid(endPath, port, 'must be greater than or equal to `port`');
    yield* problems(endPath, endPort, validatePortNumber(endPort));
  } else {
    if (endPort !== undefined) yield invalid(endPath, endPort, 'may not be specified when `port` is non-numeric');
    yield* problems(at.child('port'), port, validatePortName(port));
  }
}

function* checkPeer(peer: NetworkPolicyPeer, at: FieldPath, knownRanges: ReadonlySet<string>): Check {
  const { podSelector, namespaceSelector, ipBlock } = peer;
  yield* validateLabelSelector(podSelector, at.child('podSelector'));
  yield* validateLabelSelector(namespaceSelector, at.child('namespaceSelector'));
  if (ipBlock !== undefined) yield* checkIpBlock(ipBlock, at.child('ipBlock'), knownRanges);
  const isSelected = podSelector !== undefined || namespaceSelector !== undefined;
  if (!isSelected && ipBlock === undefined) yield required(at, 'must specify a peer');
  else if (isSelected && ipBlock !== undefined) yield forbidden(at, 'may not specify both ipBlock and another peer');
}

function* checkIpBlock({ cidr, except = [] }: IPBlock, at: FieldPath, known: ReadonlySet<string>): Check {
  if (cidr === '') {
    yield required(at.child('cidr'));
    return;
  }
  if (!known.has(cidr)) yield* validateLegacyCidr(cidr, at.child('cidr'));
  const block = parseCidr(cidr);
  if (block === undefined) return;
  for (const [index, text] of except.entries()) {
    const exceptPath = at.child('except').index(index);
    if (!known.has(text)) yield* validateLegacyCidr(text, exceptPath);
    const hole = parseCidr(text);
    if (hole === undefined) continue;
    if (!cidrContains(block, hole.address) || block.prefixLength >= hole.prefixLength)
      yield invalid(exceptPath, text, 'must be a strict subset of `cidr`');
  }
}

function* checkPolicyTypes(types: readonly string[]): Check {
  const at = path.child('policyTypes');
  if (types.length > 2) {
    yield invalid(at, types, 'may not specify more than two policyTypes');
    return;
  }
  for (const [index, type] of types.entries())
    if (type !== 'Ingress' && type !== 'Egress') yield notSupported(at.index(index), type, ['Ingress', 'Egress']);
}
