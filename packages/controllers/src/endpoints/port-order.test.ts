import { expect, test } from 'vitest';
import { endpointsPortText, slicePortText, sortByHash } from './port-order.ts';

const ports = [
  ...['a', 'b', 'c'].map((name, index) => ({ name, port: index + 1, protocol: 'TCP' })),
  { name: 'd', port: 4, protocol: 'UDP' },
  { name: 'e', port: 5, protocol: 'SCTP' },
  { name: 'f', port: 6, protocol: 'TCP', appProtocol: 'http' },
  { name: 'g', port: 7, protocol: 'TCP', appProtocol: 'example.com/x' },
  { name: 'h', port: 8, protocol: 'TCP' },
  { name: 'main', port: 8080, protocol: 'TCP' },
  { name: 'other', port: 9, protocol: 'TCP' },
];

test('ports stand in the order a cluster writes them in', () => {
  const names = (sorted: typeof ports) => sorted.map(({ name }) => name).join(' ');
  expect(names(sortByHash(ports, slicePortText))).toBe('e other d b g h f c main a');
  expect(names(sortByHash(ports, endpointsPortText))).toBe('c g d other e b a main f h');
});
