import { asJson, type JsonObject } from '@pintle/machinery/json';
import type { KubeApiServerOptions } from '../kube-api-server.ts';
import type { TestWebhook, WebhookAnswer } from './open-webhook.ts';
import { openWebhook } from './open-webhook.ts';
import type { TestApi } from './test-api.ts';
import { openTestApi } from './test-api.ts';

const REGISTRATION = '/apis/admissionregistration.k8s.io/v1';

/** The fields of an AdmissionReview that tests read. */
export interface AskedReview {
  readonly apiVersion: string;
  readonly request: JsonObject & {
    readonly uid: string;
    readonly operation: string;
    readonly name?: string;
    readonly object: { readonly metadata: { readonly name?: string }; readonly data?: Record<string, string> } | null;
  };
}

export type Decide = (asked: AskedReview) => object | Promise<object>;

/** A server, and a webhook that responds as `decide` returns: fields of a response, or a whole response. */
export interface Hooked extends AsyncDisposable {
  readonly api: TestApi;
  readonly hook: TestWebhook;
  /** Calls in order, such as `POST configmaps web` or `UPDATE pods/status web`. */
  readonly asked: () => string[];
  register(kind: 'Mutating' | 'Validating', name: string, more?: object): Promise<void>;
}

export async function openHooked(decide: Decide, options: Partial<KubeApiServerOptions> = {}): Promise<Hooked> {
  const hook = await openWebhook(async (body) => {
    const asked = body as unknown as AskedReview;
    const decision = await decide(asked);
    if ('response' in decision || 'statusCode' in decision) return decision as WebhookAnswer;
    const { apiVersion } = asked;
    const response = { uid: asked.request.uid, allowed: true, ...decision };
    return asJson({ apiVersion, kind: 'AdmissionReview', response });
  });
  const api = await openTestApi(options);
  return {
    api,
    hook,
    asked: () => hook.calls.map(describe),
    register: async (kind, name, more) => {
      const configuration = configurationOf(kind, name, hook, more);
      const { status, body } = await api.post(
        `${REGISTRATION}/${kind.toLowerCase()}webhookconfigurations`,
        configuration,
      );
      if (status !== 201) throw new Error(`Cannot register a webhook: ${JSON.stringify(body)}`);
    },
    [Symbol.asyncDispose]: async () => {
      await api[Symbol.asyncDispose]();
      await hook[Symbol.asyncDispose]();
    },
  };
}

export function patchOf(...operations: readonly object[]): object {
  return { patchType: 'JSONPatch', patch: Buffer.from(JSON.stringify(operations)).toString('base64') };
}

function configurationOf(kind: string, name: string, { url, caBundle }: TestWebhook, more: object = {}): object {
  return {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: `${kind}WebhookConfiguration`,
    metadata: { name },
    webhooks: [
      {
        name: `${name}.example.com`,
        admissionReviewVersions: ['v1'],
        sideEffects: 'None',
        clientConfig: { url: `${url}/${name}`, caBundle },
        rules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['*'], resources: ['configmaps'] }],
        ...more,
      },
    ],
  };
}

function describe(body: JsonObject): string {
  const { request } = body as unknown as AskedReview & { request: { resource: { resource: string } } };
  const below = request.subResource === undefined ? '' : `/${request.subResource}`;
  return `${request.operation} ${request.resource.resource}${below} ${request.name ?? ''}`;
}
