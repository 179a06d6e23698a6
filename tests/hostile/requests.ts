import { table } from '@pintle/machinery/table';
import { hostileBody, NAMES } from './bodies.ts';
import type { Draw } from './draw.ts';

/** A request that keeps to HTTP, whatever else it may do. */
export interface HostileRequest {
  readonly method: string;
  /** With its query, as it goes into the request line. */
  readonly target: string;
  readonly headers: Record<string, string>;
  readonly body?: Buffer;
}

const METHODS = [
  'GET',
  'GET',
  'GET',
  'POST',
  'POST',
  'POST',
  'PUT',
  'PUT',
  'PATCH',
  'PATCH',
  'DELETE',
  'HEAD',
  'OPTIONS',
  'TRACE',
  'PROPFIND',
];
const COLLECTIONS = [
  '/api/v1|configmaps',
  '/api/v1|secrets',
  '/api/v1|pods',
  '/api/v1|services',
  '/api/v1|events',
  '/api/v1|serviceaccounts',
  '/apis/apps/v1|deployments',
  '/apis/batch/v1|jobs',
  '/apis/coordination.k8s.io/v1|leases',
];
const CLUSTER_COLLECTIONS = [
  '/api/v1|namespaces',
  '/api/v1|nodes',
  '/apis/rbac.authorization.k8s.io/v1|clusterroles',
  '/apis/apiextensions.k8s.io/v1|customresourcedefinitions',
];
const PATHS = [
  '/',
  '/api',
  '/apis',
  '/apis/apps',
  '/api/v1',
  '/apis/apps/v1',
  '/version',
  '/healthz',
  '/readyz',
  '/metrics',
  '/openapi/v2',
  '/openapi/v3',
  '/nonsense',
  '/api/v1/watch',
  '//api//v1',
  '/api/v1/%zz',
  '/.well-known/openid-configuration',
];
const ODD_SEGMENTS = [
  '..',
  '.',
  '%2e%2e',
  '%2E%2e%2F',
  '%00',
  'a%00b',
  '%ff%fe',
  '%c0%ae',
  'a%2fb',
  '%25',
  '__proto__',
  'constructor',
  'UPPER',
  'a'.repeat(300),
  '%F0%9F%92%A9',
  ';a=b',
  'a b'.replace(' ', '%20'),
  '*',
  '~',
  'a:b',
  '%',
];
const SUBRESOURCES = [
  'status',
  'status',
  'scale',
  'token',
  'log',
  'binding',
  'eviction',
  'finalize',
  'nonsense',
  '__proto__',
  '%2e%2e',
  'proxy/a/../b',
  'exec',
];

export function hostileRequest(draw: Draw): HostileRequest {
  const method = draw.from(METHODS);
  const { path, resource } = pathOf(draw);
  const target = `${path}${queryOf(draw)}`;
  const headers = headersOf(draw);
  if (method === 'GET' || method === 'HEAD' || method === 'TRACE' || draw.isLucky(0.1))
    return { method, target, headers };
  const { contentType, bytes } = hostileBody(
    draw,
    method === 'DELETE' ? 'deleteoptions' : resource,
    method === 'PATCH',
  );
  return { method, target, headers: { ...(contentType && { 'content-type': contentType }), ...headers }, body: bytes };
}

function pathOf(draw: Draw): { readonly path: string; readonly resource: string } {
  if (draw.isLucky(0.08)) {
    return { path: draw.from(PATHS) + (draw.isLucky(0.3) ? `/${draw.from(ODD_SEGMENTS)}` : ''), resource: '' };
  }
  const isNamespaced = draw.isLucky(0.8);
  const [root = '', resource = ''] = draw.from(isNamespaced ? COLLECTIONS : CLUSTER_COLLECTIONS).split('|');
  const segment = (usual: readonly string[]): string =>
    draw.isLucky(0.06) ? draw.from(ODD_SEGMENTS) : draw.from(usual);
  const watch = draw.isLucky(0.02) ? '/watch' : '';
  const namespace =
    isNamespaced && draw.isLucky(0.95)
      ? `/namespaces/${segment(['default', 'default', 'kube-system', 'missing'])}`
      : '';
  const name = draw.isLucky(0.6) ? `/${segment(NAMES)}` : '';
  const subresource = name !== '' && draw.isLucky(0.15) ? `/${draw.from(SUBRESOURCES)}` : '';
  const shown = draw.isLucky(0.03) ? draw.from(ODD_SEGMENTS) : resource;
  return { path: `${root}${watch}${namespace}/${shown}${name}${subresource}`, resource };
}

const NUMBERS = ['0', '1', '-1', '5', '99999999999999999999', '1e3', '0x10', 'NaN', '', ' 1', '%00', '1.5'];
const SELECTORS = [
  'a=b',
  'a in (b,c)',
  'a in (',
  '!a',
  'a,',
  '=',
  'a==b==c',
  'a notin ()',
  `a=${'x'.repeat(70)}`,
  '__proto__=1',
  'a>1',
  'metadata.name=a',
  'metadata.name=../b',
  'spec.nodeName=x',
  'status.phase!=Running',
  'nonsense=1',
  '\\,\\=',
  '('.repeat(500),
];
const CONTINUES = [
  'AAAA',
  '%00',
  Buffer.from('{"v":"meta.k8s.io/v1","rv":1,"start":"../../secrets/default/a\\u0000"}').toString('base64url'),
  Buffer.from('{"v":"meta.k8s.io/v1","rv":-1,"start":"a\\u0000"}').toString('base64url'),
  Buffer.from('{"v":"meta.k8s.io/v1","rv":9e99,"start":""}').toString('base64url'),
  Buffer.from('{"v":"v9","__proto__":{}}').toString('base64url'),
  Buffer.from('[[[[').toString('base64url'),
];
const PARAMETERS: Readonly<Record<string, readonly string[]>> = table({
  limit: NUMBERS,
  resourceVersion: NUMBERS,
  timeoutSeconds: ['1', '-1', 'x', '0'],
  gracePeriodSeconds: NUMBERS,
  labelSelector: SELECTORS,
  fieldSelector: SELECTORS,
  continue: CONTINUES,
  resourceVersionMatch: ['Exact', 'NotOlderThan', 'x', ''],
  dryRun: ['All', 'x', ''],
  fieldManager: ['me', 'x'.repeat(200), '%00', '%ff'],
  fieldValidation: ['Strict', 'Warn', 'Ignore', 'x'],
  force: ['true', 'x'],
  pretty: ['true', 'x'],
  watch: ['true', '1', 'maybe', 'false'],
  allowWatchBookmarks: ['true', 'x'],
  sendInitialEvents: ['true', 'false', 'x'],
  propagationPolicy: ['Foreground', 'Orphan', 'x'],
  orphanDependents: ['true', 'x'],
  includeObject: ['None', 'Object', 'x'],
  timeout: ['1s', '1ns', 'x', '-1s', '99999h', '1e9s'],
  verbose: [''],
  __proto__polluted: ['1'],
  '%5B__proto__%5D': ['1'],
});

function queryOf(draw: Draw): string {
  if (draw.isLucky(0.5)) return '';
  const parts = Array.from({ length: draw.below(4) }, () => {
    if (draw.isLucky(0.03)) return draw.from(['%', '&&&', '=', '%zz=%zz', 'a'.repeat(9_000), '?', '%00=%00']);
    const name = draw.from(Object.keys(PARAMETERS));
    const value = draw.from(PARAMETERS[name]!);
    return `${name}=${value.includes('%') ? value : encodeURIComponent(value)}`;
  });
  return parts.length === 0 ? '' : `?${parts.join('&')}`;
}

const HEADERS: Readonly<Record<string, readonly string[]>> = table({
  accept: [
    '*/*',
    'application/json',
    'application/yaml',
    'application/vnd.kubernetes.protobuf',
    'application/json;as=Table;v=v1;g=meta.k8s.io',
    'application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io,application/json',
    'application/json;as=Nonsense',
    'application/json;stream=watch',
    'text/html',
    ';;;,,,q=',
    'a/b;'.repeat(2_000),
    '*/*;q=nan',
  ],
  'accept-encoding': ['gzip', 'br', '*', 'gzip;q=0', ','.repeat(1_000)],
  'content-encoding': ['gzip', 'identity', 'x'],
  'impersonate-user': ['jane', '', 'system:serviceaccount:a:b', 'system:serviceaccount:a', 'x'.repeat(5_000)],
  'impersonate-group': ['system:masters', ''],
  'impersonate-extra-__proto__': ['x'],
  'impersonate-extra-%ff': ['x'],
  'audit-id': ['x', 'a b', 'x'.repeat(5_000), '\u00e9'],
  'user-agent': ['curl/8', 'x'.repeat(5_000)],
  'x-remote-user': ['root'],
  'x-forwarded-for': ['10.0.0.1'],
  'if-none-match': ['"x"', '*', 'W/"'],
  expect: ['100-continue'],
  range: ['bytes=0-1'],
});

function headersOf(draw: Draw): Record<string, string> {
  if (draw.isLucky(0.5)) return {};
  const names = Array.from({ length: draw.below(3) }, () => draw.from(Object.keys(HEADERS)));
  return Object.fromEntries(names.map((name) => [name, draw.from(HEADERS[name]!)]));
}

const RAW = [
  'GET / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n',
  'POST /api/v1/namespaces HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello',
  'GET /api/v1/pods?watch=1 HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: x\r\n\r\n',
  'GET / HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: h2c\r\nHTTP2-Settings: AAAA\r\n\r\n',
  'CONNECT kubernetes:443 HTTP/1.1\r\nHost: x\r\n\r\n',
  'GET /%2e%2e/%2e%2e/etc/passwd HTTP/1.0\r\n\r\n',
  'GET / HTTP/9.9\r\n\r\n',
  'POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nffffffffffffffff\r\n',
  'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
  'OPTIONS * HTTP/1.1\r\nHost: x\r\n\r\n',
  `GET /${'a/'.repeat(3_000)} HTTP/1.1\r\nHost: x\r\n\r\n`,
  `GET / HTTP/1.1\r\n${'A: b\r\n'.repeat(5_000)}\r\n`,
];

/** Bytes that need not be HTTP at all. */
export function hostileBytes(draw: Draw): Buffer {
  if (draw.isLucky(0.3)) return draw.bytes(2_000);
  const bytes = Buffer.from(draw.from(RAW), 'latin1');
  if (draw.isLucky(0.5)) return bytes;
  for (let i = 0; i < 3; i++) bytes[draw.below(bytes.length)] = draw.below(256);
  return bytes;
}

/** HTTP/2 frames after a proper beginning: types, flags, streams and lengths by chance. */
export function hostileFrames(draw: Draw): Buffer {
  const frames = Array.from({ length: 1 + draw.below(8) }, () => {
    const payload = draw.bytes(60);
    const head = Buffer.alloc(9);
    head.writeUIntBE(draw.isLucky(0.9) ? payload.length : draw.below(1 << 24), 0, 3);
    head[3] = draw.below(12);
    head[4] = draw.below(256);
    head.writeUInt32BE(draw.from([0, 1, 1, 3, 2, 0x7fffffff]), 5);
    return Buffer.concat([head, payload]);
  });
  const preface = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n');
  const settings = Buffer.from('000000040000000000', 'hex');
  return Buffer.concat([preface, settings, ...frames]);
}
