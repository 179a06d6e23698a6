import { generateKeyPairSync, sign } from 'node:crypto';
import { realClock } from '@pintle/async';
import { der, pem, TAG } from '../der.ts';
import type { Draw } from '../draw.ts';
import type { AttackFamily, Outcome } from '../family.ts';
import type { Target } from '../target.ts';
import { sendHttp1 } from '../wire/http1.ts';

const REQUESTS = '/apis/certificates.k8s.io/v1/certificatesigningrequests';
const COMMON_NAME = Buffer.from('550403', 'hex');
const ORGANIZATION = Buffer.from('55040a', 'hex');
const ECDSA_WITH_SHA256 = Buffer.from('2a8648ce3d040302', 'hex');
const SIGN_WAIT_MS = 5_000;
const POLL_MS = 25;

/** Texts that some reader of names takes for more than text. */
const TRICKS = [
  '#130e73797374656d3a6d617374657273',
  '#0c0e73797374656d3a6d617374657273',
  'x"system:masters"',
  '"system:masters"',
  '\\system:masters',
  'system:masters\\',
  'system\\3amasters',
  ' system:masters',
  'system:masters ',
  'system:masters\u0000',
  'a\nO=system:masters',
  'a\n\nb\nc',
  'a+O=system:masters',
  'a,O=system:masters',
  'a/O=system:masters',
  'a;b',
  'a=b',
  '<system:masters>',
  'sYstem:masters',
  '',
];
const STRING_TAGS = [TAG.utf8String, TAG.utf8String, TAG.printableString, TAG.t61String, TAG.ia5String, TAG.bmpString];

interface Attribute {
  readonly oid: Buffer;
  readonly tag: number;
  readonly text: string;
}

const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const PUBLIC_KEY = publicKey.export({ type: 'spki', format: 'der' });
const PRIVATE_KEY = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();

/**
 * Certificate requests whose subject reads differently to different readers. Each is approved, by a person or by the
 * server itself; whoever the certificate lets in must be who the request named, and never in `system:masters`.
 */
export const certificateSubjects: AttackFamily = {
  name: 'certificate subjects',
  weight: 1,
  async attack(draw, target) {
    const isKubelet = draw.isLucky(0.5);
    const subject = isKubelet ? kubeletSubject(draw) : clientSubject(draw);
    const name = `hostile-${draw.below(2 ** 31)}-${draw.below(2 ** 31)}`;
    const created = await target.send({
      method: 'POST',
      target: REQUESTS,
      body: requestObject(name, subject, isKubelet),
    });
    if (created.status !== 201) return [outcome(created.status, created.text, subject)];
    if (!isKubelet) await approve(target, name);
    const certificate = await issued(target, name);
    await target.send({ method: 'DELETE', target: `${REQUESTS}/${name}` });
    if (certificate === undefined) return [{ status: 201 }];
    return [{ status: 201 }, await whoIs(target, certificate, subject)];
  },
};

function outcome(status: number, text: string, subject: readonly Attribute[]): Outcome {
  if (status > 0 && status < 500) return { status };
  return { status, complaint: `creating a request: ${status} ${text.slice(0, 160)}`, sample: shown(subject) };
}

function clientSubject(draw: Draw): Attribute[] {
  const groups = Array.from({ length: 1 + draw.below(2) }, () => attribute(draw, ORGANIZATION, trick(draw)));
  return [...groups, attribute(draw, COMMON_NAME, draw.isLucky(0.5) ? 'ann' : trick(draw))];
}

function kubeletSubject(draw: Draw): Attribute[] {
  const name = `system:node:${draw.from(['x', ''])}${draw.isLucky(0.7) ? trick(draw) : ''}`;
  const extra = draw.isLucky(0.2) ? [attribute(draw, COMMON_NAME, 'system:kube-controller-manager')] : [];
  return [attribute(draw, ORGANIZATION, 'system:nodes'), ...extra, attribute(draw, COMMON_NAME, name)];
}

function trick(draw: Draw): string {
  return draw.isLucky(0.8) ? draw.from(TRICKS) : `${draw.from(TRICKS)}${draw.text(20)}`;
}

function attribute(draw: Draw, oid: Buffer, text: string): Attribute {
  return { oid, tag: draw.from(STRING_TAGS), text };
}

function requestObject(name: string, subject: readonly Attribute[], isKubelet: boolean): object {
  return {
    apiVersion: 'certificates.k8s.io/v1',
    kind: 'CertificateSigningRequest',
    metadata: { name },
    spec: {
      signerName: isKubelet ? 'kubernetes.io/kube-apiserver-client-kubelet' : 'kubernetes.io/kube-apiserver-client',
      usages: ['client auth', 'digital signature'],
      request: Buffer.from(pem('CERTIFICATE REQUEST', signedRequest(subject))).toString('base64'),
    },
  };
}

function signedRequest(subject: readonly Attribute[]): Buffer {
  const name = der(TAG.sequence, ...subject.map(relativeName));
  const info = der(TAG.sequence, der(TAG.integer, Buffer.from([0])), name, PUBLIC_KEY, der(TAG.attributes));
  const algorithm = der(TAG.sequence, der(TAG.oid, ECDSA_WITH_SHA256));
  const signature = sign('sha256', info, privateKey);
  return der(TAG.sequence, info, algorithm, der(TAG.bitString, Buffer.from([0]), signature));
}

function relativeName({ oid, tag, text }: Attribute): Buffer {
  const bytes = tag === TAG.bmpString ? Buffer.from(text, 'utf16le').swap16() : Buffer.from(text);
  return der(TAG.set, der(TAG.sequence, der(TAG.oid, oid), der(tag, bytes)));
}

async function approve(target: Target, name: string): Promise<void> {
  const condition = { type: 'Approved', status: 'True', reason: 'Hostile' };
  await target.send({
    method: 'PATCH',
    target: `${REQUESTS}/${name}/approval`,
    headers: { 'content-type': 'application/merge-patch+json' },
    body: { status: { conditions: [condition] } },
  });
}

/** The certificate, or undefined when none is issued: the request was refused. */
async function issued(target: Target, name: string): Promise<string | undefined> {
  for (let waitedMs = 0; waitedMs < SIGN_WAIT_MS; waitedMs += POLL_MS) {
    const { status, text } = await target.send({ method: 'GET', target: `${REQUESTS}/${name}` });
    if (status !== 200) return undefined;
    const { certificate, conditions = [] } = JSON.parse(text).status ?? {};
    if (certificate !== undefined) return Buffer.from(certificate, 'base64').toString();
    const isRefused = conditions.some(({ type }: { type: string }) => type === 'Denied' || type === 'Failed');
    const isUnapproved = conditions.length === 0 && waitedMs > SIGN_WAIT_MS / 10;
    if (isRefused || isUnapproved) return undefined;
    await realClock.sleep(POLL_MS);
  }
  return undefined;
}

async function whoIs(target: Target, certificate: string, subject: readonly Attribute[]): Promise<Outcome> {
  const review = JSON.stringify({ apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' });
  const { status, text } = await sendHttp1(
    target,
    {
      method: 'POST',
      target: '/apis/authentication.k8s.io/v1/selfsubjectreviews',
      fields: [['content-type', 'application/json']],
      body: review,
    },
    { certificate, privateKey: PRIVATE_KEY },
  );
  if (status === 401 || status === 403 || status === 0) return { status };
  if (status !== 201) return { status, complaint: `asking who it is: ${status}`, sample: shown(subject) };
  const { username = '', groups = [] } = JSON.parse(Buffer.from(text, 'latin1').toString()).status.userInfo;
  const named = subject.filter(({ oid }) => oid === COMMON_NAME).map(({ text: value }) => value);
  const wanted = new Set(subject.filter(({ oid }) => oid === ORGANIZATION).map(({ text: value }) => value));
  const others = (groups as string[]).filter((group) => group !== 'system:authenticated' && !wanted.has(group));
  if (named.includes(username) && others.length === 0) return { status };
  const sample = `${shown(subject)} became ${JSON.stringify({ username, groups })}`;
  return { status, complaint: 'a certificate names somebody else than its request', sample };
}

function shown(subject: readonly Attribute[]): string {
  return JSON.stringify(subject.map(({ oid, tag, text }) => [oid === COMMON_NAME ? 'CN' : 'O', tag, text]));
}
