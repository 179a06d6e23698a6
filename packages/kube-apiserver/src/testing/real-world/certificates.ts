import type { JsonObject } from '@pintle/machinery/json';
import { podSpec } from './pod-spec.ts';
import {
  ageColumn,
  atomic,
  choice,
  conditions,
  type Definition,
  DURATION,
  definition,
  fields,
  flag,
  integer,
  list,
  mapOf,
  rules,
  text,
  version,
} from './schema-parts.ts';

/** Certificates and their issuers, similar to cert-manager. */
const GROUP = 'certs.real-world.dev';

const secretKey = (): JsonObject => fields({ name: text({ minLength: 1 }), key: text() }, { required: ['name'] });

const privateKey = (): JsonObject =>
  fields(
    {
      algorithm: choice('RSA', 'ECDSA', 'Ed25519'),
      encoding: choice('PKCS1', 'PKCS8'),
      rotationPolicy: { ...choice('Never', 'Always'), default: 'Always' },
      size: integer({ minimum: 0 }),
    },
    rules(
      ["!has(self.algorithm) || self.algorithm != 'Ed25519' || !has(self.size)", 'Ed25519 keys have no size'],
      [
        "!has(self.size) || (has(self.algorithm) && self.algorithm == 'ECDSA' ? self.size in [256, 384, 521] : self.size >= 2048)",
        'the size does not fit the algorithm',
      ],
    ),
  );

const certificateSpec = (): JsonObject =>
  fields(
    {
      secretName: text({ minLength: 1, maxLength: 253 }),
      issuerRef: fields(
        { name: text({ minLength: 1 }), kind: text({ default: 'Issuer' }), group: text() },
        { required: ['name'] },
      ),
      commonName: text({ maxLength: 64 }),
      dnsNames: atomic(text({ maxLength: 253 }), { maxItems: 100 }),
      ipAddresses: atomic(text({ maxLength: 45 }), { maxItems: 50 }),
      uris: atomic(text({ format: 'uri', maxLength: 2048 }), { maxItems: 50 }),
      emailAddresses: atomic(text({ format: 'email', maxLength: 254 }), { maxItems: 50 }),
      duration: text({ pattern: DURATION, default: '2160h', maxLength: 32 }),
      renewBefore: text({ pattern: DURATION, maxLength: 32 }),
      isCA: flag({ default: false }),
      usages: list(choice('signing', 'digital signature', 'server auth', 'client auth', 'key encipherment'), {
        'x-kubernetes-list-type': 'set',
        maxItems: 5,
      }),
      privateKey: privateKey(),
      secretTemplate: fields({ labels: mapOf(text()), annotations: mapOf(text()) }),
      keystores: fields({
        jks: fields(
          { create: flag(), passwordSecretRef: secretKey(), alias: text() },
          { required: ['create', 'passwordSecretRef'] },
        ),
        pkcs12: fields(
          { create: flag(), passwordSecretRef: secretKey(), profile: choice('LegacyRC2', 'LegacyDES', 'Modern2023') },
          { required: ['create', 'passwordSecretRef'] },
        ),
      }),
      revisionHistoryLimit: integer({ minimum: 1 }),
    },
    {
      required: ['secretName', 'issuerRef'],
      ...rules(
        [
          'has(self.commonName) || (has(self.dnsNames) && size(self.dnsNames) > 0) || (has(self.ipAddresses) && size(self.ipAddresses) > 0) || (has(self.uris) && size(self.uris) > 0)',
          'a certificate must have a subject',
        ],
        ['!has(self.renewBefore) || duration(self.renewBefore) < duration(self.duration)', 'renewed before it begins'],
        ['!has(self.ipAddresses) || self.ipAddresses.all(address, isIP(address))', 'not an address'],
        ['!has(self.dnsNames) || self.dnsNames.all(name, name == name.lowerAscii())', 'names are in lower case'],
      ),
    },
  );

const solver = (): JsonObject =>
  fields(
    {
      selector: fields({ matchLabels: mapOf(text()), dnsZones: atomic(text()), dnsNames: atomic(text()) }),
      http01: fields({
        ingress: fields({
          class: text(),
          ingressClassName: text(),
          serviceType: choice('ClusterIP', 'NodePort'),
          podTemplate: fields({ metadata: fields({ labels: mapOf(text()) }), spec: podSpec() }),
        }),
      }),
      dns01: fields({
        cnameStrategy: choice('None', 'Follow'),
        webhook: fields(
          { groupName: text(), solverName: text(), config: { 'x-kubernetes-preserve-unknown-fields': true } },
          { required: ['groupName', 'solverName'] },
        ),
        rfc2136: fields(
          { nameserver: text(), tsigKeyName: text(), tsigSecretSecretRef: secretKey() },
          { required: ['nameserver'] },
        ),
      }),
    },
    rules(['has(self.http01) != has(self.dns01)', 'exactly one of http01 and dns01']),
  );

const issuerSpec = (): JsonObject =>
  fields(
    {
      acme: fields(
        {
          server: text({ format: 'uri' }),
          email: text({ format: 'email' }),
          privateKeySecretRef: secretKey(),
          preferredChain: text({ maxLength: 64 }),
          skipTLSVerify: flag(),
          solvers: list(solver(), { maxItems: 20 }),
        },
        { required: ['server', 'privateKeySecretRef'] },
      ),
      ca: fields({ secretName: text(), crlDistributionPoints: atomic(text()) }, { required: ['secretName'] }),
      selfSigned: fields({ crlDistributionPoints: atomic(text()) }),
      vault: fields(
        { server: text(), path: text(), namespace: text(), caBundle: text({ format: 'byte' }) },
        { required: ['server', 'path'] },
      ),
    },
    rules([
      '[has(self.acme), has(self.ca), has(self.selfSigned), has(self.vault)].filter(given, given).size() == 1',
      'exactly one way to issue',
    ]),
  );

const certificateStatus = (): JsonObject =>
  fields({
    conditions: conditions(),
    notBefore: text({ format: 'date-time' }),
    notAfter: text({ format: 'date-time' }),
    renewalTime: text({ format: 'date-time' }),
    revision: integer(),
  });

export const certificates: Definition = definition(
  GROUP,
  { kind: 'Certificate', plural: 'certificates', shortNames: ['cert'] },
  [
    version({
      name: 'v1',
      storage: true,
      spec: certificateSpec(),
      status: certificateStatus(),
      columns: [
        { name: 'Ready', type: 'string', jsonPath: '.status.conditions[?(@.type=="Ready")].status' },
        { name: 'Secret', type: 'string', jsonPath: '.spec.secretName' },
        { name: 'Issuer', type: 'string', jsonPath: '.spec.issuerRef.name', priority: 1 },
        ageColumn,
      ],
    }),
  ],
  {},
);

export const issuers: Definition = definition(
  GROUP,
  { kind: 'ClusterIssuer', plural: 'clusterissuers' },
  [version({ name: 'v1', storage: true, spec: issuerSpec(), status: fields({ conditions: conditions() }) })],
  { scope: 'Cluster' },
);

export const certificate = {
  apiVersion: `${GROUP}/v1`,
  kind: 'Certificate',
  metadata: { name: 'web' },
  spec: {
    secretName: 'web-tls',
    issuerRef: { name: 'letters', kind: 'ClusterIssuer' },
    dnsNames: ['example.com', 'www.example.com'],
    duration: '720h',
    renewBefore: '48h',
    isCA: false,
    privateKey: { algorithm: 'ECDSA', size: 256, rotationPolicy: 'Always' },
    usages: ['server auth', 'digital signature'],
  },
};

export const issuer = {
  apiVersion: `${GROUP}/v1`,
  kind: 'ClusterIssuer',
  metadata: { name: 'letters' },
  spec: {
    acme: {
      server: 'https://acme.example.com/directory',
      email: 'ops@example.com',
      privateKeySecretRef: { name: 'account' },
      solvers: [
        { http01: { ingress: { ingressClassName: 'nginx' } }, selector: { dnsZones: ['example.com'] } },
        { dns01: { webhook: { groupName: 'acme.example.com', solverName: 'own', config: { zone: { id: 7 } } } } },
      ],
    },
  },
};
