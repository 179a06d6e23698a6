import type { ComputedQuery } from '@pintle/apiextensions/kinds';
import { serveKinds } from '@pintle/apiextensions/kinds';
import { ApiServer, HttpsListener, inProcess } from '@pintle/apiserver';
import type { ClusterTransport } from '@pintle/apiserver/delegation';
import { delegateTo, registerApi } from '@pintle/apiserver/delegation';
import { realClock as clock, systemRandom as random } from '@pintle/async';
import { createServingCertificate } from '@pintle/pki';
import type { Store } from '@pintle/store';
import type { Station } from './kinds.ts';
import { forecasts, GROUP, stations, VERSION } from './kinds.ts';

export interface WeatherOptions {
  /** Cluster whose API this server extends. */
  readonly cluster: ClusterTransport;
  /** Store of the stations. */
  readonly store: Store;
  /** Service in the cluster that points to this server. Default port: that of this server. */
  readonly service: { readonly namespace: string; readonly name: string; readonly port?: number };
  /** Default: any free port. */
  readonly port?: number;
}

export interface Weather extends AsyncDisposable {
  readonly server: ApiServer;
  readonly port: number;
}

/** Serves stations and their forecasts until it is disposed. */
export async function openWeather({ cluster, store, service, port = 0 }: WeatherOptions): Promise<Weather> {
  // The cluster authenticates and authorizes users, and has the namespaces.
  const delegation = await delegateTo(cluster, { clock });
  const server = new ApiServer({ store, clock, random, ...delegation });
  const kinds = [stations, forecasts((query) => findStations(server, query))];
  serveKinds(server, { group: GROUP, version: VERSION, kinds });
  await server.start();

  const hosts = [`${service.name}.${service.namespace}.svc`] as const;
  const serving = await createServingCertificate({ hosts, days: 365 }, clock.now());
  const listener = await HttpsListener.listen({
    handle: (request) => server.answer(request),
    ...serving,
    clientCa: delegation.clientCa,
    port,
  });
  await registerApi(cluster, {
    group: GROUP,
    version: VERSION,
    service: { port: listener.port, ...service },
    authority: serving.authority,
  });

  const close = async (): Promise<void> => {
    server.beginShutdown();
    await listener.close({ graceMs: 5_000 });
    await server.close();
  };
  return { server, port: listener.port, [Symbol.asyncDispose]: close };
}

/** Returns the stations that the user may see, for the forecasts. */
async function findStations(server: ApiServer, query: ComputedQuery): Promise<readonly Station[]> {
  const { namespace, user, signal } = query;
  const path = `/apis/${GROUP}/${VERSION}/${namespace === '' ? '' : `namespaces/${namespace}/`}stations`;
  const { body } = await inProcess(server, user)({ path, headers: { accept: 'application/json' }, signal });
  const chunks: Uint8Array[] = [];
  for await (const chunk of body instanceof Uint8Array ? [body] : body) chunks.push(chunk);
  const { items = [] } = JSON.parse(Buffer.concat(chunks).toString()) as { items?: Station[] };
  return items;
}
