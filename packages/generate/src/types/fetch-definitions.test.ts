import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { RequestListener, Server } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { FetchOptions } from './fetch-definitions.ts';
import { fetchDefinitions } from './fetch-definitions.ts';

const CRD = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: fruits.example.com}
spec:
  group: example.com
  names: {kind: Fruit, plural: fruits}
  scope: Namespaced
  versions: [{name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object}}}]
`;

const answers: Readonly<Record<string, RequestListener>> = {
  '/crd.yaml': (_request, response) => response.end(CRD),
  '/moved': (_request, response) => response.writeHead(302, { location: '/crd.yaml' }).end(),
  '/loop': (_request, response) => response.writeHead(302, { location: '/loop' }).end(),
  '/file': (_request, response) => response.writeHead(302, { location: 'file:///etc/passwd' }).end(),
  '/away': (_request, response) => response.writeHead(302, { location: 'http://example.com/crd.yaml' }).end(),
  '/page': (_request, response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<html>'),
  '/large': (_request, response) => response.end('# '.repeat(1000)),
  '/silent': (_request, response) => response.write('#'),
  '/other': (_request, response) => response.end('kind: ConfigMap\napiVersion: v1\n'),
  '/bad': (_request, response) => response.end('kind: ['),
};

let server: Server;
let base: string;
beforeAll(async () => {
  server = createServer((request, response) => {
    const answer = answers[request.url ?? ''];
    if (answer === undefined) response.writeHead(404).end();
    else answer(request, response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

test.each(['/crd.yaml', '/moved'])('definitions are taken from %s', async (path) => {
  expect((await fetchDefinitions(`${base}${path}`)).map(({ metadata }) => metadata.name)).toEqual([
    'fruits.example.com',
  ]);
});

test('definitions are taken from a file: URL', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'pintle-fetch-'));
  writeFileSync(join(folder, 'crd.yaml'), CRD);
  expect(await fetchDefinitions(pathToFileURL(join(folder, 'crd.yaml')).href)).toHaveLength(1);
  rmSync(folder, { recursive: true });
});

test.each<[string, string, FetchOptions?]>([
  ['/missing', 'the server responded with status 404'],
  ['/loop', 'it redirects more than 5 times'],
  ['/file', 'it redirects to file://'],
  ['/away', 'it redirects to http://example.com'],
  ['/page', 'it is a web page; pass the URL of the file itself'],
  ['/large', 'it is larger than 100 bytes', { maxBytes: 100 }],
  ['/silent', 'the response was not complete within 0.05 s', { timeoutMs: 50 }],
  ['/other', 'it has no CustomResourceDefinition'],
  ['/bad', 'yaml: line 1'],
])('%s is refused: %s', async (path, problem, options = {}) => {
  await expect(fetchDefinitions(`${base}${path}`, options)).rejects.toThrow(problem);
});

test.each(['http://example.com/crd.yaml', 'ftp://example.com/crd.yaml', 'data:text/plain,x', 'crd.yaml'])(
  '%s is not even asked for',
  async (url) => {
    await expect(fetchDefinitions(url)).rejects.toThrow('use https: or file:');
  },
);

test('a server that is not there is told', async () => {
  await expect(fetchDefinitions('http://127.0.0.1:1/crd.yaml')).rejects.toThrow(/ECONNREFUSED|bad port/);
});
