import { expect, test } from 'vitest';
import { negotiate, refuseUnroutable } from './content-negotiation.ts';

const OFFER = { encodings: ['json', 'yaml', 'protobuf'], transforms: ['Table', 'PartialObjectMetadata'] } as const;
const TABLE = { as: 'Table', version: 'v1' };

test.each([
  [undefined, { encoding: 'json', pretty: false }],
  ['', { encoding: 'json', pretty: false }],
  ['*/*', { encoding: 'json', pretty: false }],
  ['application/yaml', { encoding: 'yaml', pretty: false }],
  ['application/json;q=0.1, application/yaml', { encoding: 'yaml', pretty: false }],
  ['application/json;pretty=1', { encoding: 'json', pretty: true }],
  ['application/json;as=Table;v=v1;g=meta.k8s.io', { encoding: 'json', transform: TABLE, pretty: false }],
  ['application/json;as=Table;v=v9;g=meta.k8s.io,application/json', { encoding: 'json', pretty: false }],
  ['application/json;as=Table;v=v1;g=other', { refused: 'transform', as: 'Table' }],
  ['application/vnd.kubernetes.protobuf;as=Table;v=v1;g=meta.k8s.io', { refused: 'transform', as: 'Table' }],
  ['application/vnd.kubernetes.protobuf,application/json', { encoding: 'protobuf', pretty: false }],
  ['text/html', { refused: 'type' }],
  ['application/*', { encoding: 'json', pretty: false }],
  ['a/b/c', { refused: 'type' }],
  ['*', { encoding: 'json', pretty: false }],
  ['*/*, application/yaml', { encoding: 'yaml', pretty: false }],
  ['*/*;q=0.9, application/yaml;q=0.1', { encoding: 'yaml', pretty: false }],
  ['application/yaml;q=0.1, */*;q=0.9', { encoding: 'json', pretty: false }],
  ['application/json;v=v1', { refused: 'transform', as: '' }],
  ['application/json;AS=Table;V=v1;G=meta.k8s.io', { encoding: 'json', pretty: false }],
  ['application/json;as="Table";v="v1";g="meta.k8s.io"', { refused: 'transform', as: '"Table"' }],
  ['application/json;stream=watch', { encoding: 'json', pretty: false }],
  ['application/json;stream=other', { refused: 'transform' }],
  ['application/yaml;stream=watch,application/json', { encoding: 'json', pretty: false }],
  ['application/json;sv=v1', { refused: 'transform' }],
])('accept %j', (accept, expected) => {
  expect(negotiate(accept, OFFER)).toEqual(expected);
});

test('only where it is offered may the version of the answers own types be chosen', () => {
  const form = { encoding: 'json', pretty: false };
  expect(negotiate('application/json;sv=v1', { ...OFFER, serverVersion: 'v1' })).toEqual(form);
});

test('the router takes a wildcard only in full', () => {
  expect(() => refuseUnroutable('GET', '*/*')).not.toThrow();
  expect(() => refuseUnroutable('GET', '*')).toThrow('406: Not Acceptable');
});
