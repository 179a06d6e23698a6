import type { Schema } from '../../schema/index.ts';
import { sharedMetadataSchema } from '../typed/type-view.ts';

const string: Schema = { type: 'string' };
const integer: Schema = { type: 'integer' };
const texts: Schema = { type: 'object', additionalProperties: string };

const port: Schema = {
  type: 'object',
  properties: { port: integer, protocol: { type: 'string', default: 'TCP' }, name: string },
};

const container: Schema = {
  type: 'object',
  goType: 'v1.Container',
  properties: {
    name: string,
    image: string,
    args: { type: 'array', items: string },
    env: {
      type: 'array',
      listType: 'map',
      listMapKeys: ['name'],
      patchStrategy: 'merge',
      patchMergeKey: 'name',
      items: { type: 'object', goType: 'v1.EnvVar', properties: { name: string, value: string } },
    },
    ports: {
      type: 'array',
      listType: 'map',
      listMapKeys: ['port', 'protocol'],
      patchStrategy: 'merge',
      patchMergeKey: 'port',
      items: port,
    },
    resources: { type: 'object', properties: { limits: texts } },
  },
};

/** A kind with every way of sharing and patching fields. */
export const thingSchema: Schema = {
  type: 'object',
  properties: {
    apiVersion: string,
    kind: string,
    metadata: sharedMetadataSchema,
    spec: {
      type: 'object',
      goType: 'v1.ThingSpec',
      properties: {
        replicas: integer,
        selector: { type: 'object', mapType: 'atomic', properties: { matchLabels: texts } },
        strategy: {
          type: 'object',
          patchStrategy: 'retainKeys',
          properties: { type: string, parameters: { type: 'object', properties: { surge: integer } } },
        },
        containers: {
          type: 'array',
          listType: 'map',
          listMapKeys: ['name'],
          patchStrategy: 'merge',
          patchMergeKey: 'name',
          items: container,
        },
        tags: { type: 'array', listType: 'set', patchStrategy: 'merge', items: string },
        free: { type: 'object', preserveUnknownFields: true },
      },
    },
    data: texts,
    status: { type: 'object', properties: { phase: string } },
  },
};
