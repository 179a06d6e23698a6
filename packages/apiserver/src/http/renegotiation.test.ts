import { once } from 'node:events';
import { connect } from 'node:tls';
import { createAuthority, issueCertificate } from '@pintle/pki';
import { expect, test } from 'vitest';
import { textResponse } from '../request/exchange.ts';
import { HttpsListener } from './https-listener.ts';

test('a client of TLS 1.2 cannot negotiate anew on an open connection', async () => {
  const now = Date.now();
  const authority = await createAuthority('test', 1, now);
  const options = { commonName: 's', hosts: ['127.0.0.1'], usage: 'server' as const, days: 1 };
  const pair = await issueCertificate(authority, options, now);
  const listener = await HttpsListener.listen({ http2: 'fast', handle: async () => textResponse(200, 'ok'), ...pair });
  const socket = connect({ port: listener.port, host: '127.0.0.1', ca: authority.certificate, maxVersion: 'TLSv1.2' });
  try {
    await once(socket, 'secureConnect');
    const failed = once(socket, 'error');
    socket.renegotiate({ rejectUnauthorized: true }, () => {});
    const [error] = (await failed) as [NodeJS.ErrnoException];
    expect(error.code).toMatch(/NO_RENEGOTIATION/);
  } finally {
    socket.destroy();
    await listener.close();
  }
});
