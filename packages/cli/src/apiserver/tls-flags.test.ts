import type { ConnectionOptions } from 'node:tls';
import { connect } from 'node:tls';
import { HttpsListener } from '@pintle/apiserver';
import { createAuthority, issueCertificate } from '@pintle/pki';
import { expect, test } from 'vitest';
import { parseFlags } from './flags.ts';
import { http2Of, tlsOf } from './tls-flags.ts';

const read = (...args: string[]) => tlsOf(parseFlags(args));

/** Returns the protocol and suite agreed on with a server of these flags, or `refused`. */
async function agree(
  flags: readonly string[],
  client: ConnectionOptions = {},
  { isRenewed = false } = {},
): Promise<string> {
  const authority = await createAuthority('servers', 1, Date.now());
  const spec = { commonName: 's', hosts: ['localhost'], usage: 'server' as const, days: 1 };
  const pair = await issueCertificate(authority, spec, Date.now());
  await using listener = await HttpsListener.listen({
    handle: () => ({ status: 200, headers: {}, body: new Uint8Array() }),
    ...pair,
    tls: read(...flags),
    http2: http2Of(parseFlags(flags)),
  });
  if (isRenewed) listener.setCertificates(await issueCertificate(authority, spec, Date.now()));
  return await new Promise((resolve) => {
    const options = { port: listener.port, host: '127.0.0.1', rejectUnauthorized: false, ...client };
    const socket = connect({ ...options, ALPNProtocols: ['h2', 'http/1.1'] }, () => {
      resolve(`${socket.getProtocol()} ${socket.getCipher().name} ${socket.alpnProtocol}`);
      socket.destroy();
    });
    socket.on('error', () => resolve('refused'));
  });
}

const TLS12 = { maxVersion: 'TLSv1.2' } as const;

test('the least version of TLS is what was said', async () => {
  expect(await agree([], TLS12)).toMatch(/^TLSv1\.2 /);
  expect(await agree(['--tls-min-version=VersionTLS13'], TLS12)).toBe('refused');
  expect(await agree(['--tls-min-version=VersionTLS13'])).toMatch(/^TLSv1\.3 .* h2$/);
  expect(await agree(['--tls-min-version=VersionTLS10'], { maxVersion: 'TLSv1.1', minVersion: 'TLSv1' })).toBe(
    'refused',
  );
  expect(() => read('--tls-min-version=TLS1.3')).toThrow('Cannot use --tls-min-version=TLS1.3: it is not one of');
});

test('a renewed certificate changes nothing about how TLS is spoken', async () => {
  const renewed = { isRenewed: true };
  expect(await agree(['--tls-min-version=VersionTLS13'], TLS12, renewed)).toBe('refused');
  const only = ['--tls-cipher-suites=TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384'];
  expect(await agree(only, { ...TLS12, ciphers: 'ECDHE-ECDSA-AES128-GCM-SHA256' }, renewed)).toBe('refused');
});

test('only the suites that were said are spoken', async () => {
  const only = ['--tls-cipher-suites=TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384'];
  expect(await agree(only, TLS12)).toMatch(/ECDHE-ECDSA-AES256-GCM-SHA384/);
  expect(await agree(only, { ...TLS12, ciphers: 'ECDHE-ECDSA-AES128-GCM-SHA256' })).toBe('refused');
  expect(await agree(only)).toMatch(/^TLSv1\.3 /);
  const modern = ['--tls-cipher-suites=TLS_CHACHA20_POLY1305_SHA256'];
  expect(await agree(modern)).toContain('TLS_CHACHA20_POLY1305_SHA256');
  expect(await agree(modern, TLS12)).toBe('refused');
  // Weak ones are taken by name, and never spoken.
  expect(await agree(['--tls-cipher-suites=TLS_RSA_WITH_AES_128_CBC_SHA'], TLS12)).toBe('refused');
  expect(() => read('--tls-cipher-suites=TLS_AES_128_GCM_SHA256,ALL:eNULL')).toThrow(
    'Cannot use --tls-cipher-suites=ALL:eNULL',
  );
});

test('HTTP/2 is not spoken where that was said', async () => {
  expect(await agree(['--disable-http2-serving'])).toMatch(/ http\/1\.1$/);
  expect(await agree(['--disable-http2-serving=false'])).toMatch(/ h2$/);
});

test('HTTP/2 is spoken by whom was said', async () => {
  expect(http2Of(parseFlags([]))).toBe('fast');
  expect(await agree(['--http2', 'node'])).toMatch(/ h2$/);
  expect(await agree(['--http2=node', '--tls-min-version=VersionTLS13'], TLS12)).toBe('refused');
  expect(await agree(['--http2=node', '--disable-http2-serving'])).toMatch(/ http\/1\.1$/);
  expect(() => http2Of(parseFlags(['--http2=nginx']))).toThrow('Cannot use --http2=nginx: it is not one of fast, node');
});
