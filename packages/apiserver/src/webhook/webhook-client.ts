import type { IncomingMessage } from 'node:http';
import { Agent, type RequestOptions, request as sendRequest } from 'node:https';
import type { Clock } from '@pintle/async';
import { AsyncError, withTimeout } from '@pintle/async';
import type { JsonObject } from '@pintle/machinery/json';
import { encodeJson } from '@pintle/machinery/json';
import { checkHost, guardedLookup } from './dial-guard.ts';
import type { AnswerKind, AnswerLimits, RawAnswer } from './read-answer.ts';
import { readAnswer } from './read-answer.ts';
import { checkIdentity, isName } from './server-identity.ts';
import type { ServiceResolver } from './service-resolver.ts';
import { noServices } from './service-resolver.ts';
import { describeTransportError } from './transport-errors.ts';
import { WebhookError } from './webhook-error.ts';
import type { WebhookClientConfig, WebhookTarget } from './webhook-target.ts';
import { targetOf } from './webhook-target.ts';

export interface WebhookCall {
  readonly clientConfig: WebhookClientConfig;
  /** An object, or its JSON. */
  readonly body: JsonObject | Uint8Array;
  /** The kinds an answer may be of. One that does not say its kind passes too, as with Kubernetes. */
  readonly answers: readonly AnswerKind[];
  readonly timeoutMs: number;
  /** An answer that is longer, or has more values in it, is refused. Default: enough for a patch of the largest object. */
  readonly limits?: Partial<AnswerLimits>;
  readonly signal?: AbortSignal;
}

type LimitedCall = WebhookCall & { readonly limits: AnswerLimits };

/** A question to a webhook, on its way. */
export interface WebhookQuestion {
  readonly url: URL;
  readonly body: JsonObject | Uint8Array;
  readonly signal: AbortSignal;
}

/** Sees every question and its answer; may answer in the webhook's place. */
export type WebhookInterceptor = (question: WebhookQuestion, ask: () => Promise<RawAnswer>) => Promise<RawAnswer>;

export interface WebhookClientOptions {
  readonly clock: Clock;
  readonly resolveService?: ServiceResolver;
  readonly intercept?: WebhookInterceptor;
}

const DEFAULT_LIMITS: AnswerLimits = { maxBytes: 8 * 1024 * 1024, maxTokens: 250_000 };
/** Connections to one webhook at a time; further calls wait for one of them. */
const MAX_CONNECTIONS = 64;
const MAX_IDLE_CONNECTIONS = 8;

/**
 * Asks webhooks. Always over TLS to the name that was configured, never along a redirect, and nothing of the client's
 * request goes along but the body. Connections are kept for the next call.
 */
export class WebhookClient implements AsyncDisposable {
  readonly #clock: Clock;
  readonly #resolveService: ServiceResolver;
  readonly #intercept: WebhookInterceptor;
  readonly #lookup = guardedLookup();
  readonly #agent = new Agent({
    keepAlive: true,
    maxSockets: MAX_CONNECTIONS,
    maxFreeSockets: MAX_IDLE_CONNECTIONS,
    scheduling: 'lifo',
    // Of the agent, not of each call: Node does not keep connections that only one call may judge. It hands over the name
    // that was asked for, or the address where there is none, and keeps connections of each apart.
    checkServerIdentity: checkIdentity,
  });

  constructor(options: WebhookClientOptions) {
    this.#clock = options.clock;
    this.#intercept = options.intercept ?? ((_question, ask) => ask());
    this.#resolveService = options.resolveService ?? noServices;
  }

  /** The webhook's answer. Rejects with a `WebhookError`; with the signal's reason when that aborts first. */
  async post(call: WebhookCall): Promise<JsonObject> {
    const target = targetOf(call.clientConfig, call.timeoutMs);
    const limits = { ...DEFAULT_LIMITS, ...call.limits };
    const answer = await this.#withinTime({ ...call, limits }, target);
    return await readAnswer(answer, call.answers, limits);
  }

  /** Ends the connections that are idle; calls under way fail. */
  async close(): Promise<void> {
    this.#agent.destroy();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  async #withinTime(call: LimitedCall, target: WebhookTarget): Promise<RawAnswer> {
    const options = { clock: this.#clock, ...(call.signal && { signal: call.signal }) };
    try {
      return await withTimeout((signal) => this.#ask(call, target, signal), call.timeoutMs, options);
    } catch (error) {
      call.signal?.throwIfAborted();
      if (error instanceof WebhookError) throw error;
      const { url } = target;
      if (error instanceof AsyncError) throw new WebhookError({ code: 'TimedOut', url }, { cause: error });
      throw new WebhookError({ code: 'Unreachable', url, detail: describeTransportError(error) }, { cause: error });
    }
  }

  async #ask(call: LimitedCall, target: WebhookTarget, signal: AbortSignal): Promise<RawAnswer> {
    const question = { url: new URL(target.url), body: call.body, signal };
    return await this.#intercept(question, () => this.#reach(call, target, signal));
  }

  async #reach(call: LimitedCall, target: WebhookTarget, signal: AbortSignal): Promise<RawAnswer> {
    const address = await target.connect(this.#resolveService);
    checkHost(address.host);
    const body = call.body instanceof Uint8Array ? call.body : encodeJson(call.body);
    const options: RequestOptions = {
      ...address,
      method: 'POST',
      path: target.path,
      headers: {
        host: target.hostHeader,
        'content-type': 'application/json',
        'content-length': body.length,
        accept: 'application/json, */*',
        'user-agent': 'pintle-apiserver',
      },
      agent: this.#agent,
      lookup: this.#lookup,
      ...(isName(target.serverName) && { servername: target.serverName }),
      ...trustOf(call.clientConfig),
      signal,
    };
    const { maxBytes } = call.limits;
    try {
      return await exchange(options, body, maxBytes);
    } catch (error) {
      // The other side may close an idle connection just as it is taken for this call: that one was never read.
      if (!(error instanceof StaleConnection)) throw error;
      // Others that are idle may be as stale: a server that stops closes them all.
      return await exchange({ ...options, agent: false, checkServerIdentity: checkIdentity }, body, maxBytes);
    }
  }
}

class StaleConnection extends Error {}

function exchange(options: RequestOptions, body: Uint8Array, maxBytes: number): Promise<RawAnswer> {
  return new Promise((resolve, reject) => {
    const request = sendRequest(options, (response) => {
      readResponse(response, maxBytes).then(resolve, (error: unknown) => {
        request.destroy();
        reject(error);
      });
    });
    request.on('error', (error: NodeJS.ErrnoException) => {
      const isStale = request.reusedSocket && (error.code === 'ECONNRESET' || error.code === 'EPIPE');
      reject(isStale ? new StaleConnection(error.message, { cause: error }) : error);
    });
    request.end(body);
  });
}

async function readResponse(response: IncomingMessage, maxBytes: number): Promise<RawAnswer> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > maxBytes) {
      throw new WebhookError({ code: 'Unreadable', detail: `the response is longer than ${maxBytes} bytes` });
    }
    chunks.push(chunk);
  }
  return {
    status: response.statusCode ?? 0,
    contentType: response.headers['content-type'] ?? '',
    body: chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks),
  };
}

/** The authorities that count for this webhook, and for Node that knows how, as in Go also those that are no roots. */
function trustOf({ caBundle }: WebhookClientConfig): { ca?: string; allowPartialTrustChain?: boolean } {
  if (caBundle === undefined || caBundle === '') return {};
  return { ca: Buffer.from(caBundle, 'base64').toString('latin1'), allowPartialTrustChain: true };
}
