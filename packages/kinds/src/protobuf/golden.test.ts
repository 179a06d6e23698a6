import { readdirSync, readFileSync } from 'node:fs';
import type { GroupVersionKind } from '@pintle/machinery';
import type { JsonObject } from '@pintle/machinery/json';
import { decodeEnvelope, decodeObject, encodeObject } from '@pintle/machinery/protobuf';
import { describe, expect, test } from 'vitest';
import { messageNameOf, protobufTable } from './protobuf.ts';

const folder = new URL('../../testdata/golden/', import.meta.url);
const names = readdirSync(folder)
  .filter((name) => name.endsWith('.pb'))
  .map((name) => name.slice(0, -'.pb'.length));

describe('Objects that Kubernetes wrote as JSON and as protobuf', () => {
  test('are all here', () => expect(names).toHaveLength(185));

  test.each(names)('%s', (name) => {
    const bytes = new Uint8Array(readFileSync(new URL(`${name}.pb`, folder)));
    const json = readFileSync(new URL(`${name}.json`, folder), 'utf8');
    const object = JSON.parse(json) as JsonObject;
    const message = messageNameOf(gvkOfFile(name))!;

    const decoded = decodeObject(protobufTable, message, decodeEnvelope(bytes));
    expect(decoded).toEqual(object);
    expect(Buffer.from(encodeObject(protobufTable, message, object))).toEqual(Buffer.from(bytes));
  });
});

/** `apps.v1.Deployment`, `core.v1.Pod` */
function gvkOfFile(name: string): GroupVersionKind {
  const [, group = '', version = '', kind = ''] = /^(.+)\.(v\d\w*)\.(\w+)$/.exec(name) ?? [];
  return { group: group === 'core' ? '' : group, version, kind };
}
