import { readFile } from 'node:fs/promises';
import { parseDurationMs } from '@pintle/machinery/time';
import type { EtcdOptions } from '../serve/shared-store.ts';
import { UsageError } from '../usage-error.ts';
import type { Flag, ParsedFlags } from './flags.ts';

/** The prefix that kube-apiserver has. */
const DEFAULT_PREFIX = '/registry/';

/** Reads the flags of etcd; `undefined` without --etcd-servers. Throws UsageError for values that cannot be used. */
export async function etcdOf(flags: ParsedFlags): Promise<EtcdOptions | undefined> {
  const { 'etcd-servers': servers, 'etcd-prefix': prefix } = flags.values;
  if (servers === undefined) return refuseEncryption(flags);
  const endpoints = servers.split(',').filter((text) => text !== '');
  if (endpoints.length === 0) throw new UsageError('Cannot use --etcd-servers: it names no server');
  const [tls, encryptionConfig] = [await tlsOf(flags), await encryptionConfigOf(flags)];
  if (tls !== undefined && !endpoints.every((text) => text.startsWith('https://')))
    throw new UsageError(
      'Cannot use --etcd-cafile, --etcd-certfile and --etcd-keyfile: not all of --etcd-servers are https://',
    );
  return {
    endpoints,
    ...(tls && { tls }),
    prefix: prefixOf(prefix),
    ...(encryptionConfig !== undefined && { encryptionConfig }),
    ...compactionIntervalOf(flags),
  };
}

/** Reads the interval of compactions, of etcd or of the server's own store; empty without the flag. */
export function compactionIntervalOf({ values }: ParsedFlags): { readonly compactionIntervalMs?: number } {
  const interval = values['etcd-compaction-interval'];
  return interval === undefined ? {} : { compactionIntervalMs: intervalOf(interval) };
}

/** Without etcd, Secrets are encrypted otherwise. */
export function refuseEncryption({ values }: ParsedFlags): undefined {
  if (!values['encryption-provider-config']) return undefined;
  throw new UsageError(
    'Cannot use --encryption-provider-config without --etcd-servers: a data folder is encrypted with --secrets-key-file',
  );
}

async function tlsOf(flags: ParsedFlags): Promise<EtcdOptions['tls']> {
  const [ca, cert, key] = await Promise.all([
    fileOf(flags, 'etcd-cafile'),
    fileOf(flags, 'etcd-certfile'),
    fileOf(flags, 'etcd-keyfile'),
  ]);
  if ((cert === undefined) !== (key === undefined))
    throw new UsageError('Cannot use one of --etcd-certfile and --etcd-keyfile without the other');
  if (ca === undefined && cert === undefined) return undefined;
  return { ca, cert, key };
}

async function fileOf({ values }: ParsedFlags, flag: Flag): Promise<string | undefined> {
  const path = values[flag];
  if (path === undefined || path === '') return undefined;
  return await readFile(path, 'utf8').catch((error: Error) => {
    throw new UsageError(`Cannot read --${flag}: ${error.message}`);
  });
}

/** Returns the text of --encryption-provider-config. */
export async function encryptionConfigOf(flags: ParsedFlags): Promise<string | undefined> {
  return await fileOf(flags, 'encryption-provider-config');
}

/** Accepts the prefix with or without slashes around it, as kube-apiserver does. */
export function prefixOf(text: string = DEFAULT_PREFIX): string {
  const inner = text.replace(/^\/+|\/+$/g, '');
  if (inner === '') throw new UsageError('Cannot use --etcd-prefix: it is empty');
  return `/${inner}/`;
}

function intervalOf(text: string): number {
  try {
    return parseDurationMs(text);
  } catch (error) {
    throw new UsageError(`Cannot use --etcd-compaction-interval: ${(error as Error).message}`);
  }
}
