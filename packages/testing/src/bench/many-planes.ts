// Prints the memory of many planes that have each served a request.
import { ConfigMap } from '@pintle/kinds/core/v1';
import { startControlPlane } from '../index.ts';

const planes = await Promise.all(Array.from({ length: 50 }, () => startControlPlane({ env: {} })));
for (const { client } of planes)
  await client.create(ConfigMap, { metadata: { namespace: 'default', name: 'one' }, data: { key: 'value' } });
process.stdout.write(JSON.stringify({ megabytes: process.memoryUsage.rss() / 2 ** 20 }));
await Promise.all(planes.map((plane) => plane.close()));
