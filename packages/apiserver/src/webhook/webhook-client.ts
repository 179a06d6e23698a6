import type { Clock } from '@pintle/async';
import { AsyncError, withTimeout } from '@pintle/async';
import type { JsonObject } from '@pintle/machinery/json';
import { encodeJson } from '@pintle/machinery/json';
import type { ServiceResolver } from '../outbound/index.ts';
import { describeTransportError, noServices, OutboundClient, OutboundError } from '../outbound/index.ts';
import type { RawWebhookResponse, ResponseKind, ResponseLimits } from './read-response.ts';
import { readResponse } from './read-response.ts';
import { WebhookError } from './webhook-error.ts';
import type { WebhookClientConfig, WebhookTarget } from './webhook-target.ts';
import { targetOf } from './webhook-target.ts';

export interface WebhookCall {
  readonly clientConfig: WebhookClientConfig;
  /** An object, or its JSON. */
  readonly body: JsonObject | Uint8Array;
  /** Kinds that a response may have. One without a kind passes too, as in Kubernetes. */
  readonly responseKinds: readonly ResponseKind[];
  readonly timeoutMs: number;
  /** Longer responses, or those with more values, are refused. Default: enough for a patch of the largest object. */
  readonly limits?: Partial<ResponseLimits>;
  readonly signal?: AbortSignal;
}

type LimitedCall = WebhookCall & { readonly limits: ResponseLimits };

/** A request to a webhook. */
export interface WebhookRequest {
  readonly url: URL;
  readonly body: JsonObject | Uint8Array;
  readonly signal: AbortSignal;
}

/** Intercepts every request to a webhook and may respond instead of it. */
export type WebhookInterceptor = (
  request: WebhookRequest,
  send: () => Promise<RawWebhookResponse>,
) => Promise<RawWebhookResponse>;

interface WebhookClientOptions {
  readonly clock: Clock;
  readonly resolveService?: ServiceResolver;
  readonly intercept?: WebhookInterceptor;
}

const DEFAULT_LIMITS: ResponseLimits = { maxBytes: 8 * 1024 * 1024, maxTokens: 250_000 };
const CONNECTIONS = { maxConnections: 64, maxIdleConnections: 8 };

/** Calls webhooks. Sends nothing of the client's request but the body. */
export class WebhookClient implements AsyncDisposable {
  readonly #clock: Clock;
  readonly #resolveService: ServiceResolver;
  readonly #intercept: WebhookInterceptor;
  readonly #outbound = new OutboundClient(CONNECTIONS);

  constructor(options: WebhookClientOptions) {
    this.#clock = options.clock;
    this.#intercept = options.intercept ?? ((_request, send) => send());
    this.#resolveService = options.resolveService ?? noServices;
  }

  /** Returns the response. Rejects with a `WebhookError`, or with the signal's reason when that aborts first. */
  async post(call: WebhookCall): Promise<JsonObject> {
    const target = targetOf(call.clientConfig, call.timeoutMs);
    const limits = { ...DEFAULT_LIMITS, ...call.limits };
    const response = await this.#withinTime({ ...call, limits }, target);
    return await readResponse(response, call.responseKinds, limits);
  }

  /** Closes idle connections; running calls fail. */
  async close(): Promise<void> {
    this.#outbound.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  async #withinTime(call: LimitedCall, target: WebhookTarget): Promise<RawWebhookResponse> {
    const options = { clock: this.#clock, ...(call.signal && { signal: call.signal }) };
    try {
      return await withTimeout((signal) => this.#call(call, target, signal), call.timeoutMs, options);
    } catch (error) {
      call.signal?.throwIfAborted();
      if (error instanceof WebhookError) throw error;
      if (error instanceof OutboundError) throw new WebhookError({ code: 'Unreadable', detail: error.message });
      const { url } = target;
      if (error instanceof AsyncError) throw new WebhookError({ code: 'TimedOut', url }, { cause: error });
      throw new WebhookError({ code: 'Unreachable', url, detail: describeTransportError(error) }, { cause: error });
    }
  }

  async #call(call: LimitedCall, target: WebhookTarget, signal: AbortSignal): Promise<RawWebhookResponse> {
    const request = { url: new URL(target.url), body: call.body, signal };
    return await this.#intercept(request, () => this.#send(call, target, signal));
  }

  async #send(call: LimitedCall, target: WebhookTarget, signal: AbortSignal): Promise<RawWebhookResponse> {
    const body = call.body instanceof Uint8Array ? call.body : encodeJson(call.body);
    const headers = {
      'content-type': 'application/json',
      'content-length': body.length,
      accept: 'application/json, */*',
      'user-agent': 'pintle-apiserver',
    };
    const request = { method: 'POST', path: target.path, headers, body, signal };
    const response = await this.#outbound.read(await target.locate(this.#resolveService), request, call.limits);
    return { status: response.status, contentType: response.headers['content-type'] ?? '', body: response.body };
  }
}
