import type { Node } from '@pintle/kinds/core/v1';
import type { Endpoint } from '@pintle/kinds/discovery/v1';
import { describe, expect, test } from 'vitest';
import type { ZoneHints } from './zone-hints.ts';
import { hintByZones, zoneShares } from './zone-hints.ts';

/** `a:2` has two processors in zone a; `!` is not ready, `*` belongs to the control plane. */
const node = (text: string): Node => {
  const [zone = '', cpu = ''] = text.replace(/[!*]/g, '').split(':');
  const labels = {
    'topology.kubernetes.io/zone': zone,
    ...(text.includes('*') && { 'node-role.kubernetes.io/master': '' }),
  };
  const conditions = [{ type: 'Ready', status: text.includes('!') ? 'False' : 'True' }];
  const status = { conditions, ...(cpu && { allocatable: { cpu } }) };
  return { metadata: { name: text, labels }, status } as unknown as Node;
};

/** `a` is an endpoint in zone a, `a>b` one that serves b, `a!` one that is not ready. */
const endpoint = (text: string, index: number): Endpoint => {
  const [zone = '', to] = text.replace('!', '').split('>');
  return {
    addresses: [`10.0.0.${index}`],
    conditions: { ready: !text.includes('!') },
    ...(to !== undefined && { hints: { forZones: [{ name: to }] } }),
    ...(zone && { zone }),
  };
};
const endpoints = (text: string): Endpoint[] => text.split(' ').map(endpoint);
const shown = (hints: ZoneHints): string =>
  'problem' in hints
    ? hints.problem
    : hints.endpoints
        .flat()
        .map((each) => `${each.zone}${each.hints?.forZones ? `>${each.hints.forZones[0]?.name}` : ''}`)
        .join(' ');

describe('shares', () => {
  const check = (nodes: string, expected: object | undefined): void => {
    const shares = zoneShares(nodes.split(' ').map(node));
    expect(shares && Object.fromEntries(shares)).toEqual(expected);
  };
  test('a zone has what its nodes have', () => check('a:1 a:500m b:1500m', { a: 0.5, b: 0.5 }));
  test('nodes that do no work do not count', () => check('a:1 b:1 b:9! c:3*', { a: 0.5, b: 0.5 }));
  test('one zone shares with nobody', () => check('a:1 a:1', undefined));
  test('a node that does not say what it has spoils it', () => check('a:1 b:1 b', undefined));
  test('and one that does not say where it is', () => check('a:1 b:1 :1', undefined));
});

describe('hints', () => {
  const check = (nodes: string, wanted: string, expected: string, former?: string): void => {
    const draft = { endpoints: endpoints(wanted), ...(former && { former: endpoints(former) }) };
    expect(shown(hintByZones([draft], zoneShares(nodes.split(' ').map(node))))).toBe(expected);
  };
  const EVEN = 'a:1 b:1';
  test('each serves its own zone', () => check(EVEN, 'a b', 'a>a b>b'));
  test('some serve where there are too few', () => check(EVEN, 'a a a a', 'a>b a>b a>a a>a'));
  test('as many as the zone is large', () => check('a:1 b:3', 'a a b b', 'a>b a>a b>b b>b'));
  test('those that are not ready serve nobody', () => check(EVEN, 'a b a!', 'a>a b>b a'));
  test('hints that still do are kept', () => check(EVEN, 'a a a a', 'a>a a>a a>b a>b', 'a>a a>a a>b a>b'));
  test('and made anew where they do not', () => check(EVEN, 'a a a a', 'a>b a>b a>a a>a', 'a>a a>a a>a a>b'));
  test('fewer endpoints than zones', () => check(EVEN, 'a', 'Insufficient number of endpoints (1 endpoints, 2 zones)'));
  test('too few to serve all alike', () =>
    check(
      'a:1 b:1 c:1',
      'a b c a',
      'Unable to allocate minimum required endpoints to each zone without exceeding overload threshold (4 endpoints, 3 zones)',
    ));
  test('an endpoint that is nowhere', () =>
    check(EVEN, 'a  b b', 'One or more endpoints do not have a zone specified'));
  test('nodes that say too little', () =>
    check('a:1', 'a a', 'Insufficient Node information: allocatable CPU or zone not specified on one or more nodes'));
});
