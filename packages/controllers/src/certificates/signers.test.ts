import { expect, test } from 'vitest';
import type { RequestedSubject } from './signers.ts';
import { refusalOf } from './signers.ts';

const CLIENT = 'kubernetes.io/kube-apiserver-client';
const KUBELET = 'kubernetes.io/kube-apiserver-client-kubelet';
const SERVING = 'kubernetes.io/kubelet-serving';
const noNames = { dnsNames: [], ipAddresses: [], emailAddresses: [], uris: [] };
const ann = { commonName: 'ann', organizations: [], ...noNames };
const node = { ...ann, commonName: 'system:node:n1', organizations: ['system:nodes'] };

test.each<[string, string, string[], RequestedSubject, string | undefined]>([
  ['a client', CLIENT, ['client auth', 'digital signature', 'key encipherment'], ann, undefined],
  ['a client that would serve', CLIENT, ['client auth', 'server auth'], ann, 'server auth'],
  ['no client', CLIENT, ['digital signature'], ann, 'missing required usage for client certificate: client auth'],
  ['a node', KUBELET, ['client auth', 'digital signature'], node, undefined],
  ['a node for more', KUBELET, ['client auth', 'server auth', 'digital signature'], node, 'usages did not match'],
  ['a node of other groups', KUBELET, ['client auth'], { ...node, organizations: ['system:masters'] }, 'system:nodes'],
  ['a node with another name', KUBELET, ['client auth'], { ...node, commonName: 'ann' }, 'system:node:'],
  ['a node’s client with hosts', KUBELET, ['client auth'], { ...node, dnsNames: ['n1'] }, 'not allowed'],
  ['a node’s server', SERVING, ['server auth', 'digital signature'], { ...node, dnsNames: ['n1'] }, undefined],
  [
    'a node’s server with an address for mail',
    SERVING,
    ['server auth'],
    { ...node, dnsNames: ['n1'], emailAddresses: ['a@b.c'], uris: ['a:b'] },
    'Email subjectAltNames are not allowed',
  ],
  ['a node’s client with a URI', KUBELET, ['any'], { ...node, uris: ['a:b'] }, 'URI subjectAltNames are not allowed'],
  ['a node’s server without hosts', SERVING, ['server auth'], node, 'is required'],
  ['anybody of an unknown signer', 'example.com/own', ['client auth'], ann, 'there is no signer'],
])('%s', (_what, signer, usages, subject, refusal) => {
  const found = refusalOf(signer, usages, subject);
  if (refusal === undefined) expect(found).toBeUndefined();
  else expect(found).toContain(refusal);
});
