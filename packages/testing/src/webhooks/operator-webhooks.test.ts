import { installResources } from '@pintle/operator';
import { expect, test } from 'vitest';
import { stepped } from '../clock/plane-clock.ts';
import { startControlPlane } from '../start-control-plane.ts';
import { Crate } from '../testing/crate.ts';

test("an operator's webhooks are asked without a port, and convert", async () => {
  await using plane = await startControlPlane({ clock: stepped() });
  await installResources(plane.client, [Crate]);
  const operator = plane.operator(({ webhooks }) => {
    webhooks.for(Crate).validate({
      delete({ spec }) {
        if (spec.weight > 50) throw new Error('too heavy to move');
      },
    });
  });
  await operator.manager.webhooks.started;
  const ref = { namespace: 'default', name: 'a' };
  // A server learns of a converter a moment after it was told.
  await plane.eventually(() => plane.client.create(Crate.versions.v1beta1, { metadata: ref, spec: { heavy: true } }));
  expect((await plane.client.get(Crate, ref)).spec).toEqual({ weight: 100 });
  await expect(plane.client.delete(Crate.versions.v1beta1, ref)).rejects.toThrow(
    /denied the request: too heavy to move/,
  );
});

test('a controller of a resource with several versions has them converted', async () => {
  await using plane = await startControlPlane({ clock: stepped() });
  const weights: number[] = [];
  const operator = plane.operator((manager) => {
    manager.controller(Crate).reconcile(async ({ spec }) => {
      weights.push(spec.weight);
    });
  });
  await operator.manager.webhooks.started;
  const metadata = { namespace: 'default', name: 'a' };
  await plane.eventually(() => plane.client.create(Crate.versions.v1beta1, { metadata, spec: { heavy: false } }));
  await plane.eventually(() => weights.length > 0);
  expect(weights).toEqual([1]);
});
