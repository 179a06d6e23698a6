import { ConfigMap, Secret } from '@pintle/kinds/core/v1';
import { startControlPlane, stepped } from '@pintle/testing';
import { expect, test } from 'vitest';

test.each([undefined, ''])(
  'an object without a name, %j, is not looked for, and the complaint says so',
  async (name) => {
    await using plane = await startControlPlane({ env: {}, clock: stepped() });
    plane.operator((manager) =>
      manager.controller(ConfigMap).reconcile(async (_config, ctx) => {
        // As from a field that the schema of an older version did not have.
        await ctx.find(Secret, name as string);
      }),
    );
    await plane.client.create(ConfigMap, { metadata: { namespace: 'default', name: 'config' } });
    await plane.eventually(() =>
      plane.complaints.some((each) => each.includes('Cannot find a Secret: the name is missing')),
    );
    expect(plane.requests.all({ resource: 'secrets' })).toEqual([]);
  },
);
