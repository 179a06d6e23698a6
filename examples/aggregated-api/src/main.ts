import { ConfigTransport, loadConfig } from '@pintle/client';
import { openLmdbStore } from '@pintle/store';
import { openWeather } from './server.ts';

const PORT = 8443;
const service = { namespace: 'default', name: 'weather', port: PORT };

/** Run `pintle up` first, then this, then `kubectl get stations,forecasts`. */
const cluster = new ConfigTransport(await loadConfig());
await using store = await openLmdbStore('.weather');
await using server = await openWeather({ cluster, store, service });
await server.listen({ port: PORT });

// On one machine the service leads back to it; in a cluster, a Service with a selector takes this one's place.
const body = Buffer.from(
  JSON.stringify({
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: service.name },
    spec: { type: 'ExternalName', externalName: 'localhost' },
  }),
);
await cluster.send({
  method: 'PATCH',
  path: `/api/v1/namespaces/${service.namespace}/services/${service.name}`,
  query: 'fieldManager=weather&force=true',
  headers: { 'content-type': 'application/apply-patch+yaml' },
  body,
});
await server.register();
console.log(`Weather is served on port ${server.port}. Ctrl-C stops it.`);
await new Promise((resolve) => process.once('SIGINT', resolve).once('SIGTERM', resolve));
await cluster.close();
