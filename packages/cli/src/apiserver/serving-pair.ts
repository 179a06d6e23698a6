import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { KeyPair } from '@pintle/pki';
import { openPrivateFolder, writePrivateFile } from '../credentials/private-file.ts';
import { UsageError } from '../usage-error.ts';
import type { ParsedFlags } from './flags.ts';

/**
 * Reads the serving certificate: the files of the flags, else `apiserver.crt` and `apiserver.key` in --cert-dir. Returns
 * `undefined` when there is neither.
 */
export async function readServingPair({ values }: ParsedFlags): Promise<KeyPair | undefined> {
  const { 'tls-cert-file': certFile, 'tls-private-key-file': keyFile, 'cert-dir': folder } = values;
  if ((certFile === undefined) !== (keyFile === undefined)) {
    throw new UsageError('Cannot serve: pass both --tls-cert-file and --tls-private-key-file');
  }
  if (certFile !== undefined && keyFile !== undefined) return await readPair(certFile, keyFile, 'must exist');
  if (folder === undefined) return undefined;
  return await readPair(...pathsIn(folder), 'may be missing').catch(() => undefined);
}

/** Writes a new certificate to --cert-dir, if that is set, as kube-apiserver does. Returns the certificate. */
export async function keepServingPair({ values }: ParsedFlags, created: KeyPair): Promise<KeyPair> {
  const folder = values['cert-dir'];
  if (folder === undefined) return created;
  const [certPath, keyPath] = pathsIn(folder);
  await openPrivateFolder(folder);
  await writePrivateFile(keyPath, created.privateKey);
  await writePrivateFile(certPath, created.certificate);
  return created;
}

function pathsIn(folder: string): [string, string] {
  return [join(folder, 'apiserver.crt'), join(folder, 'apiserver.key')];
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
    throw new UsageError(`Cannot read --tls-cert-file or --tls-private-key-file: ${(error as Error).message}`);
  }
}
