import { readdirSync, readFileSync } from 'node:fs';
import { decodeEnvelope, decodeMessage, encodeMessage, ProtobufError } from '@pintle/machinery/protobuf';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { builtinGroups, responseKindOf } from '../discovery/index.ts';
import { messageNameOf, protobufTable } from './protobuf.ts';

describe('messageNameOf', () => {
  test('knows every kind that a resource is written with', () => {
    for (const { group, versions } of builtinGroups)
      for (const { version, resources } of versions)
        for (const resource of resources)
          expect(messageNameOf(responseKindOf({ group, version }, resource)), resource.resource).toBeDefined();
  });

  test('knows the kinds of meta/v1 where they may appear', () => {
    const status = 'k8s.io.apimachinery.pkg.apis.meta.v1.Status';
    expect(messageNameOf({ group: '', version: 'v1', kind: 'Status' })).toBe(status);
    expect(messageNameOf({ group: 'apps', version: 'v1', kind: 'Status' })).toBeUndefined();
    expect(messageNameOf({ group: 'apps', version: 'v1', kind: 'DeleteOptions' })).toContain('meta.v1.DeleteOptions');
  });

  test('knows nothing of custom resources', () => {
    expect(messageNameOf({ group: 'example.com', version: 'v1', kind: 'Fruit' })).toBeUndefined();
    expect(messageNameOf({ group: 'constructor', version: 'v1', kind: 'Fruit' })).toBeUndefined();
  });
});

test('Every message of the table can be compiled', () => {
  for (const name of Object.keys(protobufTable)) {
    const zero = decodeMessage(protobufTable, name, new Uint8Array());
    expect(encodeMessage(protobufTable, name, zero), name).toBeInstanceOf(Uint8Array);
  }
});

test('Integers of 64 bits keep every digit', () => {
  const pod = 'k8s.io.api.core.v1.Pod';
  for (const generation of [9223372036854775807n, -9223372036854775808n, 9007199254740993n, 2 ** 53 - 1]) {
    const bytes = encodeMessage(protobufTable, pod, { metadata: { generation } });
    expect(decodeMessage(protobufTable, pod, bytes).metadata).toEqual({ generation });
  }
});

test('Spoiled objects are read or refused with a ProtobufError', () => {
  const folder = new URL('../../testdata/golden/', import.meta.url);
  const files = readdirSync(folder).filter((name) => /^(core|apps)\.v1\..*\.pb$/.test(name));
  const originals = files.map((name) => decodeEnvelope(readFileSync(new URL(name, folder))));
  const spoil = fc.array(fc.tuple(fc.nat(), fc.nat(255)), { minLength: 1, maxLength: 6 });
  fc.assert(
    fc.property(fc.constantFrom(...originals), spoil, fc.nat(), (original, changes, cut) => {
      const bytes = Uint8Array.from(original.raw);
      for (const [at, byte] of changes) bytes[at % bytes.length] = byte;
      const message = messageNameOf({ ...groupVersionOf(original.apiVersion), kind: original.kind });
      if (message !== undefined) readOrRefuse(message, bytes.subarray(0, bytes.length - (cut % 3)));
    }),
    { numRuns: 400 },
  );
});

function groupVersionOf(apiVersion: string): { group: string; version: string } {
  const [version = '', group = ''] = apiVersion.split('/').reverse();
  return { group, version };
}

function readOrRefuse(message: string, bytes: Uint8Array): void {
  try {
    decodeMessage(protobufTable, message, bytes);
  } catch (error) {
    expect(error).toBeInstanceOf(ProtobufError);
  }
}
