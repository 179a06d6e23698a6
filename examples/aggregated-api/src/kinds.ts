import type { ComputedQuery, ServedKind } from '@pintle/apiextensions/kinds';
import { servedKind } from '@pintle/apiextensions/kinds';
import type { KubernetesObject } from '@pintle/machinery';

export const GROUP = 'weather.example.com';
export const VERSION = 'v1';

export interface Station extends KubernetesObject {
  spec?: { altitude?: number; city?: string };
}

export interface Forecast extends KubernetesObject {
  celsius: number;
  sky: string;
}

/** Weather stations, which this server stores. They have all features of kinds of the cluster. */
export const stations = servedKind<Station>({
  kind: 'Station',
  plural: 'stations',
  shortNames: ['ws'],
  schema: {
    type: 'object',
    properties: {
      spec: {
        type: 'object',
        properties: { altitude: { type: 'integer', minimum: -430 }, city: { type: 'string' } },
      },
    },
  },
  columns: [
    { name: 'City', type: 'string', jsonPath: '.spec.city' },
    { name: 'Altitude', type: 'integer', jsonPath: '.spec.altitude' },
  ],
  complete: (station) => {
    station.spec = { altitude: 0, ...station.spec };
  },
  validate: ({ spec }) => (spec?.city === 'Atlantis' ? [['spec.city', 'it has sunk']] : []),
});

const SKIES = ['clear', 'cloudy', 'rain', 'snow'];

/** Weather forecasts, which are computed for each request and not stored. */
export function forecasts(findStations: (query: ComputedQuery) => Promise<readonly Station[]>): ServedKind {
  return servedKind<Forecast>({
    kind: 'Forecast',
    plural: 'forecasts',
    schema: { type: 'object', properties: { celsius: { type: 'number' }, sky: { type: 'string' } } },
    columns: [
      { name: 'Celsius', type: 'number', jsonPath: '.celsius' },
      { name: 'Sky', type: 'string', jsonPath: '.sky' },
    ],
    computed: {
      get: async (name, query) => {
        const found = (await findStations(query)).find(({ metadata }) => metadata.name === name);
        return found && forecast(found);
      },
      list: async (query) => (await findStations(query)).map(forecast),
    },
  });
}

/** Computes a forecast: 6.5 degrees colder per kilometre of altitude; the sky depends on the name. */
function forecast({ metadata, spec }: Station): Forecast {
  const { name = '', namespace = '' } = metadata;
  const celsius = Math.round((15 - (spec?.altitude ?? 0) * 0.0065) * 10) / 10;
  return { apiVersion: '', kind: '', metadata: { name, namespace }, celsius, sky: SKIES[name.length % SKIES.length]! };
}
