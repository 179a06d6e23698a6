import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { KeyPair } from '@pintle/pki';
import { openPrivateFolder, writePrivateFile } from '../credentials/private-file.ts';
import { UsageError } from '../usage-error.ts';
import type { ParsedFlags } from './flags.ts';

/**
 * The certificate the server shows: the files named, else `apiserver.crt` and `apiserver.key` in the certificate folder.
 * `undefined` where neither is there.
 */
export async function readServingPair({ values }: ParsedFlags): Promise<KeyPair | undefined> {
  const { 'tls-cert-file': certFile, 'tls-private-key-file': keyFile, 'cert-dir': folder } = values;
  if ((certFile === undefined) !== (keyFile === undefined)) {
    throw new UsageError('Cannot serve: --tls-cert-file and --tls-private-key-file go together');
  }
  if (certFile !== undefined && keyFile !== undefined) return await readPair(certFile, keyFile, 'must exist');
  if (folder === undefined) return undefined;
  return await readPair(...pathsIn(folder), 'may be missing').catch(() => undefined);
}

/** Puts a certificate that was made into the certificate folder, if there is one, as kube-apiserver does; and gives it. */
export async function keepServingPair({ values }: ParsedFlags, made: KeyPair): Promise<KeyPair> {
  const folder = values['cert-dir'];
  if (folder === undefined) return made;
  const [certPath, keyPath] = pathsIn(folder);
  await openPrivateFolder(folder);
  await writePrivateFile(keyPath, made.privateKey);
  await writePrivateFile(certPath, made.certificate);
  return made;
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
    throw new UsageError(`Cannot read the server’s certificate: ${(error as Error).message}`);
  }
}
