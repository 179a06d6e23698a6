import { readFileSync } from 'node:fs';
import { type JsonObject, parseJson, stringifyJson, trustedLimits } from '@pintle/machinery/json';
import { decodeMessage, encodeMessage } from '@pintle/machinery/protobuf';
import { describe, expect, test } from 'vitest';
import { messageNameOf, protobufTable } from './protobuf.ts';

/** Zero and random objects of every served kind, as Go printed and marshalled them: [group/version/kind, JSON, base64]. */
const rows = parseJson(
  readFileSync(new URL('../../testdata/go-objects.json', import.meta.url)),
  trustedLimits,
) as unknown as [string, JsonObject, string][];

describe('Objects as Go prints and marshals them', () => {
  test.each(rows)('%s', (gvk, object, base64) => {
    const [group = '', version = '', kind = ''] = gvk.split('/');
    const message = messageNameOf({ group, version, kind })!;
    const bytes = Buffer.from(base64, 'base64');

    const decoded = decodeMessage(protobufTable, message, bytes);
    expect(stringifyJson(decoded)).toBe(stringifyJson(object));
    expect(Buffer.from(encodeMessage(protobufTable, message, object))).toEqual(bytes);
  });
});
