import type { ApiRequest } from '@pintle/apiserver';
import type { ClusterTransport, ComputedQuery, ExtensionService } from '@pintle/kube-apiserver/extension';
import { ExtensionServer } from '@pintle/kube-apiserver/extension';
import type { Store } from '@pintle/store';
import type { Station } from './kinds.ts';
import { forecasts, GROUP, stations, VERSION } from './kinds.ts';

export interface WeatherOptions {
  readonly cluster: ClusterTransport;
  readonly store: Store;
  readonly service: ExtensionService;
}

/** A server of stations and of forecasts for them. */
export async function openWeather(options: WeatherOptions): Promise<ExtensionServer> {
  // Forecasts are made of stations, as the user who asks may see them.
  const findStations = async ({ namespace, user, signal }: ComputedQuery): Promise<readonly Station[]> => {
    const path = `/apis/${GROUP}/${VERSION}/${namespace === '' ? '' : `namespaces/${namespace}/`}stations`;
    const request: ApiRequest = {
      method: 'GET',
      path,
      query: '',
      headers: { accept: 'application/json' },
      body: new Uint8Array(),
      signal,
      peer: { address: '', user },
    };
    const { body } = await server.handle(request);
    const chunks: Uint8Array[] = [];
    if (body instanceof Uint8Array) chunks.push(body);
    else for await (const chunk of body) chunks.push(chunk);
    const { items = [] } = JSON.parse(Buffer.concat(chunks).toString()) as { items?: Station[] };
    return items;
  };
  const kinds = [stations, forecasts(findStations)];
  const server: ExtensionServer = await ExtensionServer.open({ ...options, group: GROUP, version: VERSION, kinds });
  return server;
}
