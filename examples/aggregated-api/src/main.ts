import { ConfigTransport, connect, loadConfig } from '@pintle/client';
import { Service } from '@pintle/kinds/core/v1';
import { openLmdbStore } from '@pintle/store';
import { openWeather } from './server.ts';

/** Run `pintle up` first, then this, then `kubectl get stations,forecasts`. */
const port = Number(process.env.PORT ?? 8443);
const service = { namespace: 'default', name: 'weather' };
const config = await loadConfig();

// On one machine the Service points back to it; in a cluster, use a Service with a selector instead.
const client = await connect(config);
const spec = { type: 'ExternalName', externalName: 'localhost' } as const;
await client.apply(Service, { metadata: service, spec }, { fieldManager: 'weather' });
await client.close();

const cluster = new ConfigTransport(config);
await using store = await openLmdbStore(process.env.DATA ?? '.weather');
await using weather = await openWeather({ cluster, store, service, port });
console.log(`Serving weather on port ${weather.port}. Press Ctrl-C to stop.`);
await new Promise((resolve) => process.once('SIGINT', resolve).once('SIGTERM', resolve));
await cluster.close();
