import type { WebhookClient, WebhookClientConfig } from '@pintle/apiserver/webhook';
import { WebhookError } from '@pintle/apiserver/webhook';
import type { Random } from '@pintle/async';
import type { WebhookConversion } from '@pintle/kinds/apiextensions/v1';
import type { KubernetesObject } from '@pintle/machinery';
import { gvkOf } from '@pintle/machinery';
import { unclassifiedError } from '@pintle/machinery/errors';
import { asJson, canonicalJson, countTokens, type JsonObject, requestLimits } from '@pintle/machinery/json';
import { readConverted } from './conversion-response.ts';
import type { Converter } from './converter.ts';

const TIMEOUT_MS = 30_000;
const GROUP = 'apiextensions.k8s.io';
const KNOWN_REVIEWS = ['v1', 'v1beta1'];
/** Size of one request, unless a single object is larger. */
const MAX_REQUEST_BYTES = 1024 * 1024;
const MAX_REQUEST_OBJECTS = 500;
const MAX_REQUEST_TOKENS = 50_000;
/** Concurrent requests of one list. */
const MAX_CONCURRENT_REQUESTS = 8;
/** Response bytes per byte of the request, on top of those of one object. */
const MAX_GROWTH = 4;
const { maxBytes: MIN_RESPONSE_BYTES, maxTokens: MIN_RESPONSE_TOKENS } = requestLimits;
/** Length of messages from a webhook in errors. */
const MAX_PROBLEM_LENGTH = 4 * 1024;

interface ConversionBatch {
  readonly objects: KubernetesObject[];
  readonly texts: Uint8Array[];
  bytes: number;
  tokens: number;
}

/** Strategy `Webhook`. Sends several objects in one request. */
export class WebhookConverter implements Converter {
  readonly onlyRenames = false;
  readonly #client: WebhookClient;
  readonly #random: Random;
  readonly #clientConfig: WebhookClientConfig;
  readonly #reviewVersion: string | undefined;

  constructor(webhook: WebhookConversion | undefined, client: WebhookClient, random: Random) {
    this.#client = client;
    this.#random = random;
    this.#clientConfig = webhook?.clientConfig ?? {};
    this.#reviewVersion = webhook?.conversionReviewVersions.find((version) => KNOWN_REVIEWS.includes(version));
  }

  async convertAll(objects: readonly KubernetesObject[], apiVersion: string): Promise<KubernetesObject[]> {
    const converted = [...objects];
    const others = [...objects.keys()].filter((index) => objects[index]!.apiVersion !== apiVersion);
    const batches = batchesOf(others.map((index) => objects[index]!));
    const results = await this.#convertBatches(batches, apiVersion);
    for (const [i, object] of results.flat().entries()) converted[others[i]!] = object;
    return converted;
  }

  /** Sends a few requests at a time. Does not wait for the others when one fails. */
  async #convertBatches(batches: readonly ConversionBatch[], apiVersion: string): Promise<KubernetesObject[][]> {
    const failure = new AbortController();
    const results: KubernetesObject[][] = [];
    const waiting = batches.entries();
    const convertNext = async (): Promise<void> => {
      for (const [index, batch] of waiting)
        results[index] = await this.#convertBatch(batch, apiVersion, failure.signal);
    };
    try {
      await Promise.all(Array.from({ length: MAX_CONCURRENT_REQUESTS }, convertNext));
      return results;
    } catch (error) {
      failure.abort(error);
      throw error;
    }
  }

  async #convertBatch(
    { objects, texts, bytes, tokens }: ConversionBatch,
    apiVersion: string,
    signal: AbortSignal,
  ): Promise<KubernetesObject[]> {
    const failed = (text: string): Error =>
      unclassifiedError(500, `conversion webhook for ${formatKind(objects[0]!)} ${shorten(text)}`);
    if (this.#reviewVersion === undefined) {
      throw unclassifiedError(500, 'does not recognize any of the supported conversion review versions');
    }
    const review = { apiVersion: `${GROUP}/${this.#reviewVersion}`, kind: 'ConversionReview' };
    const uid = this.#random.uuid();
    let response: JsonObject;
    try {
      response = await this.#client.post({
        clientConfig: this.#clientConfig,
        body: encodeRequest(review, uid, apiVersion, texts),
        responseKinds: KNOWN_REVIEWS.map((version) => ({ ...review, apiVersion: `${GROUP}/${version}` })),
        timeoutMs: TIMEOUT_MS,
        limits: { maxBytes: MIN_RESPONSE_BYTES + MAX_GROWTH * bytes, maxTokens: MIN_RESPONSE_TOKENS + tokens },
        signal,
      });
    } catch (error) {
      if (error instanceof WebhookError) throw failed(`failed: ${error.message}`);
      throw error;
    }
    const read = readConverted(response, { review, uid, apiVersion, originals: objects });
    if ('unreadable' in read) throw unclassifiedError(500, shorten(read.unreadable));
    if ('problem' in read) throw failed(read.problem);
    return read.objects;
  }
}

/** Returns requests with the objects as stored, without resourceVersion and with sorted fields. */
function batchesOf(objects: readonly KubernetesObject[]): ConversionBatch[] {
  const batches: ConversionBatch[] = [];
  for (const object of objects) {
    const { resourceVersion: _resourceVersion, ...metadata } = object.metadata;
    const text = Buffer.from(canonicalJson(asJson({ ...object, metadata })));
    const tokens = countTokens(text);
    const last = batches.at(-1);
    if (
      last === undefined ||
      last.bytes + text.length > MAX_REQUEST_BYTES ||
      last.tokens + tokens > MAX_REQUEST_TOKENS ||
      last.objects.length >= MAX_REQUEST_OBJECTS
    ) {
      batches.push({ objects: [object], texts: [text], bytes: text.length, tokens });
      continue;
    }
    last.objects.push(object);
    last.texts.push(text);
    last.bytes += text.length;
    last.tokens += tokens;
  }
  return batches;
}

function encodeRequest(
  { apiVersion, kind }: { readonly apiVersion: string; readonly kind: string },
  uid: string,
  desiredAPIVersion: string,
  objects: readonly Uint8Array[],
): Uint8Array {
  const head = JSON.stringify({ kind, apiVersion, request: { uid, desiredAPIVersion, objects: [] } }).slice(0, -3);
  const tail = ']},"response":{"uid":"","convertedObjects":null,"result":{"metadata":{}}}}';
  const parts: Uint8Array[] = [Buffer.from(head)];
  for (const [i, object] of objects.entries()) {
    if (i > 0) parts.push(Buffer.from(','));
    parts.push(object);
  }
  return Buffer.concat([...parts, Buffer.from(tail)]);
}

function shorten(text: string): string {
  return text.length <= MAX_PROBLEM_LENGTH ? text : `${text.slice(0, MAX_PROBLEM_LENGTH)}...`;
}

/** `example.com/v1, Kind=Thing` */
function formatKind(object: KubernetesObject): string {
  return `${object.apiVersion}, Kind=${gvkOf(object)?.kind ?? ''}`;
}
