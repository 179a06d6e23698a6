import { createPrivateKey } from 'node:crypto';
import { mkdir, readFile, stat } from 'node:fs/promises';
import { isIPv6 } from 'node:net';
import { dirname } from 'node:path';
import type { KeyPair } from '@pintle/pki';
import { UsageError } from '../usage-error.ts';
import { writePrivateFile } from './private-file.ts';

interface KubeconfigOptions {
  /** The address of the server as its clients write it. */
  readonly server: string;
  /** Whose certificates the client trusts, in PEM. */
  readonly authority: string;
  readonly admin: KeyPair;
}

const MARK = '# Written by pintle at every start; changes are lost.';

/**
 * Writes a kubeconfig whose one context is this server's administrator. The file is for its owner alone. A file that
 * somebody else wrote is left as it is, and refused.
 */
export async function writeKubeconfig(path: string, options: KubeconfigOptions): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  const known = await readText(path);
  if (known.trim() !== '' && !known.startsWith(MARK)) {
    throw new UsageError(
      `Cannot write ${path}: it holds a configuration that pintle did not write. Choose another file.`,
    );
  }
  const text = kubeconfig(options);
  // With a full disk a server can start that has been started before.
  if (text === known && (await isPrivate(path))) return;
  await writePrivateFile(path, text);
}

/** The URL of a server that listens on `host`; one that listens on all addresses is reached on the local one. */
export function serverUrl(host: string, port: number): string {
  const reachable = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host;
  return `https://${isIPv6(reachable) ? `[${reachable}]` : reachable}:${port}`;
}

/** Empty when there is none. */
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

/** The key as `EC PRIVATE KEY`, which kubeadm writes and Java's clients read; they refuse an EC key in PKCS#8. */
function withoutEnvelope(privateKey: string): string {
  return createPrivateKey(privateKey).export({ type: 'sec1', format: 'pem' }) as string;
}
