import { expect, test } from 'vitest';
import { openTestServer, textOf } from '../../testing/open-test-server.ts';

const asStatusz = (version: string) => `application/json;as=Statusz;g=config.k8s.io;v=${version}`;

test('/statusz is a page for people and an object for whoever names its version', async () => {
  await using server = await openTestServer();
  const ask = async (accept: string) => await server.send('GET', '/statusz', { headers: { accept } });
  for (const accept of ['', '*/*', 'text/plain', 'application/json, text/*']) {
    const page = await ask(accept);
    expect(page.headers['content-type']).toBe('text/plain; charset=utf-8');
    expect(await textOf(page)).toMatch(
      /^\napiserver statusz\nWarning: [^\n]*\n\nStarted: [\s\S]*\nPaths: \/flagz \/healthz /,
    );
  }
  const object = await ask(asStatusz('v1beta1'));
  expect(object.headers['content-type']).toBe('application/json;g=config.k8s.io;v=v1beta1;as=Statusz');
  expect(JSON.parse(await textOf(object))).toMatchObject({ kind: 'Statusz', metadata: { name: 'apiserver' } });
  expect((await ask(asStatusz('v1alpha1'))).headers.warning).toEqual([
    '299 - "This version of the statusz endpoint is deprecated. Please use a newer version."',
  ]);
  for (const accept of [
    'application/json',
    asStatusz('v1'),
    'application/json;as=Table;g=meta.k8s.io;v=v1',
    'text/html',
  ])
    expect((await ask(accept)).status).toBe(406);
});

test('/flagz and /metrics/slis are there, and listed', async () => {
  await using server = await openTestServer();
  const read = async (path: string) => await textOf(await server.send('GET', path, { headers: { accept: '*/*' } }));
  expect(await read('/flagz')).toMatch(/^\napiserver flagz\nWarning: /);
  await read('/livez');
  expect(await read('/metrics/slis')).toMatch(/^kubernetes_healthcheck\{[^}]*"ping"[^}]*\} 1$/m);
  const { paths } = JSON.parse(await read('/index.html')) as { paths: string[] };
  expect(paths).toEqual(expect.arrayContaining(['/flagz', '/metrics/slis', '/statusz']));
});
