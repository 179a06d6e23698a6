import { DefinitionController } from '@pintle/apiextensions';
import { DiscoveryCatalog } from '@pintle/apiserver/discovery';
import { LoopbackClient } from '@pintle/apiserver/request';
import { ResourceRegistry } from '@pintle/apiserver/resource';
import { WebhookClient } from '@pintle/apiserver/webhook';
import { SeededRandom } from '@pintle/async';
import { expect, test } from 'vitest';
import { DEFINITIONS, define, until } from '../../testing/define.ts';
import { openTestApi } from '../../testing/test-api.ts';
import { thingDefinition } from '../../testing/thing-definition.ts';

test('a controller that lost its place in history looks at everything again', async () => {
  await using api = await openTestApi();
  const { store, clock, server } = api.server;
  const other = {
    ...thingDefinition([{ name: 'v1' }], { group: 'other.com' }),
    metadata: { name: 'things.other.com' },
  };
  await define(api, other);
  const resources = new ResourceRegistry({
    hasGroup: () => false,
    hasVersion: () => false,
    load: async () => undefined,
    namesOf: () => [],
  });
  await using webhooks = new WebhookClient({ clock });
  const late = new DefinitionController({
    store,
    clock,
    resources,
    webhooks,
    random: new SeededRandom(1),
    catalog: new DiscoveryCatalog(),
    client: new LoopbackClient((request) => server.handle(request)),
    onError: (error) => expect.unreachable(String(error)),
  });
  await late.load();
  await define(api, thingDefinition([{ name: 'v1' }]));
  await api.delete(`${DEFINITIONS}/things.other.com`);
  await until(api, `${DEFINITIONS}/things.other.com`, ({ status }) => status === 404);
  await store.compact(store.revision);

  const stop = new AbortController();
  const running = late.run({ signal: stop.signal });
  const has = (group: string) => resources.has({ group, version: 'v1', resource: 'things' });
  while (!has('example.com') || has('other.com')) {
    await new Promise(setImmediate);
  }
  stop.abort(new Error('enough'));
  await expect(running).rejects.toThrow('enough');
});
