import { request } from 'node:https';
import type { JsonValue } from '@pintle/machinery/json';
import { parseJson } from '@pintle/machinery/json';

export interface FetchOptions {
  /** Whose certificates are trusted, in PEM. Default: those the system trusts. */
  readonly ca?: string | undefined;
  readonly timeoutMs: number;
  readonly maxBytes: number;
}

/** Gets a JSON document over TLS. Follows no redirect, waits no longer and takes no more than told. */
export function fetchJson(url: URL, { ca, timeoutMs, maxBytes }: FetchOptions): Promise<JsonValue> {
  if (url.protocol !== 'https:') return Promise.reject(new Error(`Cannot fetch ${url.href}: it is not an https URL`));
  return new Promise((resolve, reject) => {
    const fail = (why: string): void => reject(new Error(`Cannot fetch ${url.href}: ${why}`));
    const sent = request(
      url,
      { ...(ca && { ca }), agent: false, headers: { accept: 'application/json' } },
      (answer) => {
        const chunks: Buffer[] = [];
        let bytes = 0;
        if (answer.statusCode !== 200) {
          answer.destroy();
          fail(`the answer was ${answer.statusCode}`);
          return;
        }
        answer.on('data', (chunk: Buffer) => {
          bytes += chunk.length;
          if (bytes <= maxBytes) chunks.push(chunk);
          else sent.destroy(new Error(`it has more than ${maxBytes} bytes`));
        });
        answer.on('end', () => settle(Buffer.concat(chunks)));
        answer.on('error', (error) => fail(error.message));
      },
    );
    const deadline = setTimeout(() => sent.destroy(new Error(`no answer within ${timeoutMs} ms`)), timeoutMs);
    sent.on('error', (error) => fail(error.message));
    sent.on('close', () => clearTimeout(deadline));
    sent.end();

    function settle(body: Buffer): void {
      try {
        resolve(parseJson(body));
      } catch {
        fail('it is not JSON');
      }
    }
  });
}
