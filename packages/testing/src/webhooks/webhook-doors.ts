import type { RawWebhookResponse, WebhookInterceptor, WebhookRequest } from '@pintle/apiserver';
import type { JsonObject } from '@pintle/machinery/json';
import { encodeJson, isJsonObject, parseJson, trustedLimits } from '@pintle/machinery/json';
import type { WebhookHandlers } from '../options.ts';

const DOMAIN = '.webhooks.test';

/**
 * The way from the server to webhooks in this process, without a port. The server believes it speaks to
 * `https://NAME.webhooks.test`.
 */
export class WebhookDoors {
  readonly #byHost = new Map<string, WebhookHandlers>();
  readonly #around: () => Disposable;

  /** `around` is told that a webhook is asked, until what it gives is disposed of. */
  constructor(around: () => Disposable) {
    this.#around = around;
  }

  /** The address that leads to them. */
  open(handlers: WebhookHandlers): string {
    const host = `${handlers.name.toLowerCase()}${DOMAIN}`;
    this.#byHost.set(host, handlers);
    return `https://${host}`;
  }

  readonly intercept: WebhookInterceptor = async (question, ask) => {
    using _asked = this.#around();
    const handlers = this.#byHost.get(question.url.hostname);
    return handlers === undefined ? await ask() : await answer(handlers, question);
  };
}

async function answer(handlers: WebhookHandlers, { url, body, signal }: WebhookRequest): Promise<RawWebhookResponse> {
  const review = body instanceof Uint8Array ? parseJson(body, trustedLimits) : (body as JsonObject);
  const answered = isJsonObject(review) ? await handlers.handle(url.pathname, review, { signal }) : undefined;
  if (answered === undefined)
    return { status: 404, contentType: 'text/plain', body: Buffer.from('404 page not found') };
  return { status: 200, contentType: 'application/json', body: encodeJson(answered) };
}
