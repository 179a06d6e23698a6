import type { RawWebhookResponse, WebhookInterceptor, WebhookRequest } from '@pintle/apiserver';
import type { JsonObject } from '@pintle/machinery/json';
import { encodeJson, isJsonObject, parseJson, trustedLimits } from '@pintle/machinery/json';
import type { WebhookHandlers } from '../options.ts';

const DOMAIN = '.webhooks.test';

/**
 * Lets the server call webhooks in this process without a port. Their addresses are `https://NAME.webhooks.test`.
 */
export class InProcessWebhooks {
  readonly #byHost = new Map<string, WebhookHandlers>();
  readonly #onCall: () => Disposable;

  /** `onCall` runs at the start of each call; its result is disposed of at the end. */
  constructor(onCall: () => Disposable) {
    this.#onCall = onCall;
  }

  /** Adds webhooks, and returns their address. */
  register(handlers: WebhookHandlers): string {
    const host = `${handlers.name.toLowerCase()}${DOMAIN}`;
    this.#byHost.set(host, handlers);
    return `https://${host}`;
  }

  readonly intercept: WebhookInterceptor = async (request, next) => {
    using _call = this.#onCall();
    const handlers = this.#byHost.get(request.url.hostname);
    return handlers === undefined ? await next() : await callHandlers(handlers, request);
  };
}

async function callHandlers(
  handlers: WebhookHandlers,
  { url, body, signal }: WebhookRequest,
): Promise<RawWebhookResponse> {
  const review = body instanceof Uint8Array ? parseJson(body, trustedLimits) : (body as JsonObject);
  const result = isJsonObject(review) ? await handlers.handle(url.pathname, review, { signal }) : undefined;
  if (result === undefined) return { status: 404, contentType: 'text/plain', body: Buffer.from('404 page not found') };
  return { status: 200, contentType: 'application/json', body: encodeJson(result) };
}
