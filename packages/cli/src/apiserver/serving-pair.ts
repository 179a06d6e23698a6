import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { KeyPair } from '@pintle/apiserver/pki';
import { writePrivateFile } from '../serve/private-file.ts';
import { UsageError } from '../usage-error.ts';
import type { ParsedFlags } from './flags.ts';

/**
 * The certificate the server shows: the files named, else `apiserver.crt` and `apiserver.key` in the certificate
 * folder. Where neither is there, `fallback` is used and put into the folder, as kube-apiserver does.
 */
export async function openServingPair({ values }: ParsedFlags, fallback: KeyPair): Promise<KeyPair> {
  const { 'tls-cert-file': certFile, 'tls-private-key-file': keyFile, 'cert-dir': folder } = values;
  if ((certFile === undefined) !== (keyFile === undefined)) {
    throw new UsageError('Cannot serve: --tls-cert-file and --tls-private-key-file go together');
  }
  if (certFile !== undefined && keyFile !== undefined) return await readPair(certFile, keyFile, 'must exist');
  if (folder === undefined) return fallback;
  const [certPath, keyPath] = [join(folder, 'apiserver.crt'), join(folder, 'apiserver.key')];
  const kept = await readPair(certPath, keyPath, 'may be missing').catch(() => undefined);
  if (kept !== undefined) return kept;
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await writePrivateFile(keyPath, fallback.privateKey);
  await writePrivateFile(certPath, fallback.certificate);
  return fallback;
}

async function readPair(
  certFile: string,
  keyFile: string,
  presence: 'must exist' | 'may be missing',
): Promise<KeyPair> {
  try {
    return { certificate: await readFile(certFile, 'utf8'), privateKey: await readFile(keyFile, 'utf8') };
  } catch (error) {
    if (presence === 'may be missing') throw error;
    throw new UsageError(`Cannot read the server’s certificate: ${(error as Error).message}`);
  }
}
