import { ConfigMap } from '@pintle/kinds/core/v1';
import type { JsonObject } from '@pintle/machinery/json';
import { expect, test } from 'vitest';
import type { ControlPlane, WebhookHandlers } from '../index.ts';
import { stepped } from '../index.ts';
import { startOwnPlane } from '../testing/own-plane.ts';

const HEAVY = 'too heavy';

/** Refuses config maps that are heavy, after it has looked for one called `limit`. */
function refusing(look: () => ControlPlane): WebhookHandlers {
  const webhook = (url: string): object => ({
    name: 'weights.test.pintle.dev',
    clientConfig: { url: `${url}/validate` },
    rules: [{ apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'], operations: ['CREATE'] }],
    sideEffects: 'None',
    admissionReviewVersions: ['v1'],
  });
  const configuration = (kind: string, webhooks: object[]): never =>
    ({ apiVersion: 'admissionregistration.k8s.io/v1', kind, metadata: { name: 'weights' }, webhooks }) as never;
  return {
    name: 'weights',
    configurations: ({ url }) => ({
      mutating: configuration('MutatingWebhookConfiguration', []),
      validating: configuration('ValidatingWebhookConfiguration', [webhook(url)]),
    }),
    handle: async (_path, review) => {
      await look().client.find(ConfigMap, { namespace: 'default', name: 'limit' });
      const { uid = '', object } = review.request as { uid?: string; object?: JsonObject };
      const allowed = (object?.data as JsonObject | undefined)?.weight !== 'heavy';
      const response = { uid, allowed, ...(!allowed && { status: { message: HEAVY } }) };
      return { apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', response };
    },
  };
}

test('webhooks are asked without a port, and may ask back', async () => {
  const webhooks: WebhookHandlers[] = [refusing(() => plane)];
  await using plane = await startOwnPlane({ webhooks, clock: stepped() });
  const create = (name: string, weight: string): Promise<unknown> =>
    plane.client.create(ConfigMap, { metadata: { namespace: 'default', name }, data: { weight } });
  await create('a', 'light');
  await expect(create('b', 'heavy')).rejects.toThrow(HEAVY);
});
