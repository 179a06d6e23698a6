import { defineResource, type Manager } from '@pintle/operator';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { stepped } from '../clock/plane-clock.ts';
import { startControlPlane } from '../start-control-plane.ts';
import { Crate } from '../testing/crate.ts';
import { startOwnPlane } from '../testing/own-plane.ts';

const crate = { namespace: 'default', name: 'crate' };

const Box = defineResource({
  group: 'shop.test',
  kind: 'Box',
  versions: {
    v1: { spec: z.object({ colour: z.string() }) },
    v2: { spec: z.object({ paint: z.object({ colour: z.string() }) }) },
  },
  storage: 'v1',
  conversions: {
    v2: {
      toHub: ({ spec }) => ({ spec: { colour: spec.paint.colour.toLowerCase() } }),
      fromHub: ({ spec }) => ({ spec: { paint: { colour: spec.colour } } }),
    },
  },
});

test('an object of another version is converted from the first request on, before an operator runs', async () => {
  await using plane = await startOwnPlane({ crds: [Crate], clock: stepped() });
  await plane.client.create(Crate.versions.v1beta1, { metadata: crate, spec: { heavy: true } });
  expect(await plane.client.get(Crate, crate)).toMatchObject({ spec: { weight: 100 } });
  expect(await plane.client.get(Crate.versions.v1beta1, crate)).toMatchObject({ spec: { heavy: true } });
});

test('an object that is created while the operator starts is converted', async () => {
  await using plane = await startOwnPlane({ crds: [Crate], clock: stepped() });
  plane.operator((manager) => manager.controller(Crate).reconcile(async () => undefined));
  await plane.client.create(Crate.versions.v1beta1, { metadata: crate, spec: { heavy: true } });
  expect(await plane.client.get(Crate, crate)).toMatchObject({ spec: { weight: 100 } });
});

test('fixtures may be of any version', async () => {
  const { apiVersion, kind } = Crate.versions.v1beta1;
  const objects = [{ apiVersion, kind, metadata: crate, spec: { heavy: true } }];
  await using plane = await startOwnPlane({ crds: [Crate], objects, clock: stepped() });
  expect(await plane.client.get(Crate, crate)).toMatchObject({ spec: { weight: 100 } });
});

test('a plane that begins with a snapshot converts as the first one did', async () => {
  await using plane = await startOwnPlane({ crds: [Crate], clock: stepped() });
  await using fork = await startControlPlane({ from: await plane.snapshot(), env: {} });
  await fork.client.create(Crate.versions.v1beta1, { metadata: crate, spec: { heavy: true } });
  expect(await fork.client.get(Crate, crate)).toMatchObject({ spec: { weight: 100 } });
});

test('the error of a refused object has the defaults that a conversion prevented', async () => {
  await using plane = await startOwnPlane({ crds: [Box], clock: stepped() });
  plane.operator((manager) => {
    manager.webhooks.for(Box).default(({ spec }) => {
      if (spec) spec.colour ??= 'red';
    });
  });
  await plane.untilIdle();
  const refused = plane.client.create(Box.versions.v2, { metadata: crate, spec: {} as never });
  await expect(refused).rejects.toMatchObject({
    code: 422,
    message: expect.stringMatching(/spec\.paint: Required value$/),
    cause: {
      message: expect.stringMatching(/^The server warned: no defaults were set: Cannot convert .*spec\.paint: /),
    },
  });
});

test('an object that lacks a required field is refused with the field, in any version', async () => {
  await using plane = await startOwnPlane({ crds: [Box], clock: stepped() });
  const refused = plane.client.create(Box.versions.v2, { metadata: crate, spec: { paint: {} } as never });
  await expect(refused).rejects.toMatchObject({ code: 422, message: expect.stringContaining('spec.paint.colour') });
});

test('a defaulting webhook of another version leaves it to the server to name the missing field', async () => {
  await using plane = await startOwnPlane({ crds: [Box], clock: stepped() });
  const operator = plane.operator((manager: Manager) => {
    manager.webhooks.for(Box).default((box) => {
      if (box.spec) box.spec.colour = `${box.spec.colour}ish`;
    });
  });
  await plane.eventually(() => operator.manager.webhooks.isReady);
  const refused = plane.client.create(Box.versions.v2, { metadata: crate, spec: {} as never });
  await expect(refused).rejects.toMatchObject({ code: 422, message: expect.stringContaining('spec.paint') });
  await plane.client.create(Box.versions.v2, { metadata: crate, spec: { paint: { colour: 'Red' } } });
  expect(await plane.client.get(Box, crate)).toMatchObject({ spec: { colour: 'redish' } });
});

test('a conversion that fails on an incomplete object names the object, the field and the version', () => {
  const box = { apiVersion: 'shop.test/v2', kind: 'Box', metadata: crate, spec: {} };
  expect(() => Box.conversion?.convert(box, 'shop.test/v1')).toThrow(
    'Cannot convert Box.shop.test crate to shop.test/v1: it is not valid in shop.test/v2: spec.paint: Required value',
  );
});
