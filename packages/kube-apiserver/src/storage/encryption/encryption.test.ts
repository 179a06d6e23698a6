import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { parseEncryptionConfig } from './encryption-config.ts';
import { ValueEncryption } from './value-encryption.ts';

const written: { readonly values: Readonly<Record<string, string>> } = JSON.parse(
  readFileSync(new URL('../../testdata/stored-by-kubernetes.json', import.meta.url), 'utf8'),
);

const key = (name: string, bytes = 32) => ({ name, secret: randomBytes(bytes).toString('base64') });
const configOf = (...entries: [resources: string[], ...providers: object[]][]) =>
  JSON.stringify({
    apiVersion: 'apiserver.config.k8s.io/v1',
    kind: 'EncryptionConfiguration',
    resources: entries.map(([resources, ...providers]) => ({ resources, providers })),
  });
const open = async (...entries: Parameters<typeof configOf>) =>
  await ValueEncryption.create(parseEncryptionConfig(configOf(...entries)));

const SECRETS = 'core/secrets';
const PATH = '/registry/secrets/default/login';
const value = Buffer.from('k8s\0 a value of any length');
const text = (bytes: Uint8Array) => Buffer.from(bytes).toString('latin1');

describe.each(['aesgcm', 'aescbc', 'secretbox'])('%s', (type) => {
  const [one, two] = [key('one'), key('two')];

  test('values have the prefix of the key, and come back', async () => {
    const encryption = await open([['secrets'], { [type]: { keys: [one] } }]);
    const stored = encryption.encrypt(SECRETS, PATH, value);
    expect(text(stored)).toMatch(new RegExp(`^k8s:enc:${type}:v1:one:`));
    expect(text(stored)).not.toContain('a value of any length');
    expect(text(encryption.encrypt(SECRETS, PATH, value))).not.toBe(text(stored));
    const opened = encryption.decrypt(SECRETS, PATH, stored);
    expect([text(opened.value), opened.isOutdated]).toEqual([text(value), false]);
  });

  test('a rotation reads what the older key wrote, and says that it is outdated', async () => {
    const before = await open([['secrets'], { [type]: { keys: [one] } }]);
    const during = await open([['secrets'], { [type]: { keys: [two, one] } }]);
    const after = await open([['secrets'], { [type]: { keys: [two] } }]);
    const stored = before.encrypt(SECRETS, PATH, value);
    expect(during.decrypt(SECRETS, PATH, stored).isOutdated).toBe(true);
    const again = during.encrypt(SECRETS, PATH, value);
    expect(text(after.decrypt(SECRETS, PATH, again).value)).toBe(text(value));
    expect(() => after.decrypt(SECRETS, PATH, stored)).toThrow('a key that the encryption configuration does not have');
  });

  test('another key of the same name, and a truncated value, are refused', async () => {
    const encryption = await open([['secrets'], { [type]: { keys: [one] } }]);
    const other = await open([['secrets'], { [type]: { keys: [key('one')] } }]);
    const stored = encryption.encrypt(SECRETS, PATH, value);
    // aescbc has no authentication: a wrong key shows in the padding, nearly always.
    if (type !== 'aescbc') expect(() => other.decrypt(SECRETS, PATH, stored)).toThrow('another key of the same name');
    expect(() => encryption.decrypt(SECRETS, PATH, stored.subarray(0, 25))).toThrow('it is encrypted');
  });
});

test.each(['aesgcm', 'aescbc', 'secretbox'] as const)('%s opens what Kubernetes has written', async (type) => {
  const seven = { name: 'one', secret: Buffer.alloc(32, 7).toString('base64') };
  const encryption = await open([['secrets'], { [type]: { keys: [seven] } }]);
  const stored = Buffer.from(written.values[type]!, 'base64');
  expect(text(encryption.decrypt(SECRETS, PATH, stored).value)).toBe('from kubernetes');
});

test('aesgcm does not open a value at another path', async () => {
  const encryption = await open([['secrets'], { aesgcm: { keys: [key('one')] } }]);
  const stored = encryption.encrypt(SECRETS, PATH, value);
  expect(() => encryption.decrypt(SECRETS, `${PATH}2`, stored)).toThrow('for another path');
});

test('identity reads what is not encrypted, and writes it when it comes first', async () => {
  const one = key('one');
  const starting = await open([['secrets'], { aescbc: { keys: [one] } }, { identity: {} }]);
  expect(starting.decrypt(SECRETS, PATH, value)).toMatchObject({ isOutdated: true });
  const ending = await open([['secrets'], { identity: {} }, { aescbc: { keys: [one] } }]);
  expect(text(ending.encrypt(SECRETS, PATH, value))).toBe(text(value));
  const stored = starting.encrypt(SECRETS, PATH, value);
  expect(ending.decrypt(SECRETS, PATH, stored)).toMatchObject({ isOutdated: true });
  const strict = await open([['secrets'], { aescbc: { keys: [one] } }]);
  expect(() => strict.decrypt(SECRETS, PATH, value)).toThrow('no identity provider');
});

test('a resource takes its own entry, that of its group, or that of all', async () => {
  const names = { exact: key('exact'), group: key('group'), core: key('core'), all: key('all') };
  const encryption = await open(
    [['*.*'], { aesgcm: { keys: [names.all] } }],
    [['*.apps'], { aesgcm: { keys: [names.group] } }],
    [['*.'], { aesgcm: { keys: [names.core] } }],
    [['deployments.apps', 'secrets'], { aesgcm: { keys: [names.exact] } }],
  );
  const keyFor = (collection: string) => text(encryption.encrypt(collection, PATH, value)).split(':')[4];
  expect(
    ['apps/deployments', 'core/secrets', 'apps/replicasets', 'core/configmaps', 'example.com/fruits'].map(keyFor),
  ).toEqual(['exact', 'exact', 'group', 'core', 'all']);
});

test.each([
  ['{', 'it is neither YAML nor JSON'],
  ['[]', 'it is not an object'],
  ['{"kind":"Secret","apiVersion":"v1"}', 'it is not an apiserver.config.k8s.io/v1 EncryptionConfiguration'],
  [configOf(), 'resources is not a list'],
  [configOf([[], { identity: {} }]), 'resources[0].resources is empty'],
  [configOf([['*'], { identity: {} }]), 'use *. for the core group'],
  [configOf([['secrets.*'], { identity: {} }]), 'is not the name of a resource'],
  [configOf([['secrets'], { identity: {}, aesgcm: { keys: [] } }]), 'does not have exactly one provider'],
  [configOf([['secrets'], { kms: { name: 'a' } }]), 'this server does not use key management services'],
  [configOf([['secrets'], { rot13: {} }]), 'there is no such provider'],
  [configOf([['secrets'], { aesgcm: { keys: [] } }]), 'keys is not a list'],
  [configOf([['secrets'], { aesgcm: { keys: [key('a'), key('a')] } }]), 'two keys of the same name'],
  [configOf([['secrets'], { aesgcm: { keys: [key('a:b')] } }]), 'name is empty or has a colon'],
  [configOf([['secrets'], { aesgcm: { keys: [key('a', 31)] } }]), 'secret is not 16, 24, 32 bytes'],
  [configOf([['secrets'], { secretbox: { keys: [key('a', 16)] } }]), 'secret is not 32 bytes'],
])('a wrong configuration is refused: %s', (config, problem) => {
  expect(() => parseEncryptionConfig(config)).toThrow(problem);
});
