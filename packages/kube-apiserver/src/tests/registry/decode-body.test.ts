import { encodeEnvelope } from '@pintle/machinery/protobuf';
import { expect, test } from 'vitest';
import { openTestServer, textOf } from '../../testing/open-test-server.ts';

test('what a YAML document says that nobody knows is told by name, not as it comes', async () => {
  await using server = await openTestServer();
  const response = await server.send('POST', '/api/v1/namespaces/default/services?fieldValidation=Strict', {
    headers: { 'content-type': 'application/yaml' },
    body: 'spec: {zzz: 1}\nodd: 1\nkind: Service\napiVersion: v1\nmetadata: {name: a, bogus: 1}\n',
  });
  expect(JSON.parse(await textOf(response)).message).toContain(
    'unknown field "metadata.bogus", unknown field "odd", unknown field "spec.zzz"',
  );
});

test('protobuf that does not say what it is is what the path says; what is wrong in it is told of its kind', async () => {
  await using server = await openTestServer();
  const send = async (apiVersion: string, kind: string, ...raw: number[]) => {
    const response = await server.send('POST', '/api/v1/namespaces/default/configmaps', {
      headers: { 'content-type': 'application/vnd.kubernetes.protobuf' },
      body: encodeEnvelope({ apiVersion, kind, raw: Uint8Array.from(raw) }),
    });
    return JSON.parse(await textOf(response));
  };
  expect(await send('', '', 0x0a, 3, 0x0a, 1, 0x78)).toMatchObject({ kind: 'ConfigMap', metadata: { name: 'x' } });
  const { message } = await send('v1', 'ConfigMap', 0x08, 1);
  expect(message).toBe(
    'ConfigMap in version "v1" cannot be handled as a ConfigMap: proto: wrong wireType = 0 for field ObjectMeta',
  );
  expect((await send('v9', 'ConfigMap')).message).toMatch(/: no kind "ConfigMap" is registered for version "v9" in /);
});

test('what an object is is read before all else, however its name is written', async () => {
  await using server = await openTestServer();
  const send = async (body: object) => {
    const headers = { 'content-type': 'application/json' };
    const response = await server.send('POST', '/api/v1/namespaces/default/configmaps', {
      headers,
      body: JSON.stringify(body),
    });
    return JSON.parse(await textOf(response));
  };
  const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'x' } };
  expect((await send({ ...object, KIND: [1] })).message).toContain(
    "couldn't get version/kind; json parse error: json: cannot unmarshal array into Go struct field .kind of type string",
  );
  expect((await send({ kind: {}, apiVersion: 1 })).message).toContain(
    'cannot unmarshal object into Go struct field .kind',
  );
});

test('what is wrong in JSON is told in the order of the document', async () => {
  await using server = await openTestServer();
  const spec = '"unknownField":1,"replicas":1,"replicas":2,"paused":true,"other":1,"paused":false';
  const body = `{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"a"},"spec":{${spec}}}`;
  const send = (query: string) =>
    server.send('POST', `/apis/apps/v1/namespaces/default/deployments?${query}`, {
      headers: { 'content-type': 'application/json' },
      body,
    });
  expect(JSON.parse(await textOf(await send('fieldValidation=Strict'))).message).toContain(
    'strict decoding error: unknown field "spec.unknownField", duplicate field "spec.replicas", ' +
      'unknown field "spec.other", duplicate field "spec.paused"',
  );
});

test('a whole number that is written as a float is no integer', async () => {
  await using server = await openTestServer();
  const send = async (replicas: string) => {
    const body = `{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"a"},"spec":{"replicas":${replicas}}}`;
    const headers = { 'content-type': 'application/json' };
    const response = await server.send('POST', '/apis/apps/v1/namespaces/default/deployments', { headers, body });
    return JSON.parse(await textOf(response)).message;
  };
  for (const replicas of ['1.0', '1e2', '-1.0e1'])
    expect(await send(replicas)).toBe(
      'Deployment in version "v1" cannot be handled as a Deployment: json: cannot unmarshal number ' +
        `${replicas} into Go struct field DeploymentSpec.spec.replicas of type int32`,
    );
});
