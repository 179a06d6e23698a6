import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { JsonObject } from '@pintle/machinery/json';
import type { KeyPair } from '@pintle/pki';
import { createAuthority, issueCertificate } from '@pintle/pki';

/** Response of a test's webhook: an object as JSON, or a full response. */
export type WebhookAnswer =
  | JsonObject
  | { readonly statusCode: number; readonly text: string; readonly headers?: Record<string, string> };

export interface TestWebhook extends AsyncDisposable {
  readonly url: string;
  readonly port: number;
  readonly caBundle: string;
  /** Its own certificate, for clients that trust that and no authority. */
  readonly leaf: string;
  /** Every request's body, in the order of arrival. */
  readonly calls: readonly JsonObject[];
  /** Returns the number of connections that were made. */
  readonly connections: () => number;
}

let authority: Promise<KeyPair> | undefined;

/** Opens a webhook on this machine, with a certificate for `localhost` and 127.0.0.1. */
export async function openWebhook(
  answer: (body: JsonObject) => WebhookAnswer | Promise<WebhookAnswer>,
): Promise<TestWebhook> {
  authority ??= createAuthority('test-authority', 1, Date.now());
  const signer = await authority;
  const hosts = ['localhost', '127.0.0.1'];
  const pair = await issueCertificate(signer, { commonName: 'webhook', hosts, usage: 'server', days: 1 }, Date.now());
  const calls: JsonObject[] = [];
  let connections = 0;
  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const body = JSON.parse(Buffer.concat(chunks).toString()) as JsonObject;
    calls.push(body);
    const reply = await answer(body);
    const full =
      'statusCode' in reply
        ? (reply as { statusCode: number; text: string; headers?: Record<string, string> })
        : { statusCode: 200, text: JSON.stringify(reply) };
    response.writeHead(full.statusCode, { 'content-type': 'application/json', ...full.headers });
    response.end(full.text);
  };
  // A client may disconnect before the response.
  const server = createServer({ key: pair.privateKey, cert: pair.certificate }, (request, response) => {
    serve(request, response).catch((error: unknown) => response.destroy(error as Error));
  });
  server.on('secureConnection', () => connections++);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `https://127.0.0.1:${port}`,
    port,
    caBundle: Buffer.from(signer.certificate).toString('base64'),
    leaf: Buffer.from(pair.certificate).toString('base64'),
    calls,
    connections: () => connections,
    [Symbol.asyncDispose]: () => stop(server),
  };
}

async function stop(server: Server): Promise<void> {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
}
