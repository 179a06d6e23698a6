import { createPrivateKey } from 'node:crypto';
import { mkdir, readFile, stat } from 'node:fs/promises';
import { isIPv6 } from 'node:net';
import { dirname } from 'node:path';
import type { KeyPair } from '@pintle/pki';
import { UsageError } from '../usage-error.ts';
import { writePrivateFile } from './private-file.ts';

interface KubeconfigOptions {
  /** URL of the server. */
  readonly server: string;
  /** PEM of the authority that the client trusts. */
  readonly authority: string;
  readonly admin: KeyPair;
}

const MARK = '# Written by pintle at every start; changes are lost.';

/**
 * Writes a kubeconfig with one context, of the administrator of this server. Only its owner can read the file. Throws
 * UsageError when another program wrote the file.
 */
export async function writeKubeconfig(path: string, options: KubeconfigOptions): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  const known = await readText(path);
  if (known.trim() !== '' && !known.startsWith(MARK)) {
    throw new UsageError(
      `Cannot write ${path}: pintle did not write the configuration in it. Choose another file with --kubeconfig.`,
    );
  }
  const text = kubeconfig(options);
  // Skips the write, so that a server that ran before also starts on a full disk.
  if (text === known && (await isPrivate(path))) return;
  await writePrivateFile(path, text);
}

/** Returns the URL of a server that listens on `host`; for all addresses, that of the loopback address. */
export function serverUrl(host: string, port: number): string {
  const reachable = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host;
  return `https://${isIPv6(reachable) ? `[${reachable}]` : reachable}:${port}`;
}

/** Returns the empty string when there is no file. */
async function readText(path: string): Promise<string> {
  return await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return '';
    if (error.code === 'EISDIR') throw new UsageError(`Cannot write ${path}: it is a folder. Choose another file.`);
    throw error;
  });
}

async function isPrivate(path: string): Promise<boolean> {
  const { mode, uid } = await stat(path);
  return (mode & 0o077) === 0 && uid === (process.getuid?.() ?? uid);
}

function kubeconfig({ server, authority, admin }: KubeconfigOptions): string {
  const base64 = (text: string): string => Buffer.from(text).toString('base64');
  return `${MARK}
apiVersion: v1
kind: Config
current-context: pintle
clusters:
- name: pintle
  cluster:
    server: ${server}
    certificate-authority-data: ${base64(authority)}
contexts:
- name: pintle
  context:
    cluster: pintle
    user: kubernetes-admin
users:
- name: kubernetes-admin
  user:
    client-certificate-data: ${base64(admin.certificate)}
    client-key-data: ${base64(withoutEnvelope(admin.privateKey))}
`;
}

/** Returns the key as `EC PRIVATE KEY`, as kubeadm writes it. Clients in Java cannot read EC keys in PKCS#8. */
function withoutEnvelope(privateKey: string): string {
  return createPrivateKey(privateKey).export({ type: 'sec1', format: 'pem' }) as string;
}
