import { describe, expect, test } from 'vitest';
import { loadProgramSettings, webhookUrl } from './program-settings.ts';

test('nothing said is nothing set', () => {
  expect(loadProgramSettings({})).toEqual({});
  expect(loadProgramSettings({ LOG_LEVEL: '', PINTLE_WEBHOOKS: '' })).toEqual({});
});

test.each([
  [{ LOG_LEVEL: 'DEBUG' }, { logLevel: 'debug' }],
  [{ LOG_LEVEL: 'warning' }, { logLevel: 'warn' }],
  [{ PINTLE_WEBHOOKS: 'none' }, { webhooks: 'none' }],
  [{ PINTLE_WEBHOOKS: 'local' }, { webhooks: 'local' }],
  [
    { PINTLE_WEBHOOKS: 'https://localhost:7', PINTLE_WEBHOOK_CERTIFICATE: '/kept' },
    { webhooks: { url: 'https://localhost:7', certificateFile: '/kept' } },
  ],
  [{ PINTLE_WEBHOOKS: 'https://me.example.com:9443/' }, { webhooks: { url: 'https://me.example.com:9443' } }],
  [{ PINTLE_DEFINITIONS: 'install' }, { definitions: 'install' }],
  [{ PINTLE_DESCRIPTIONS: 'texts.json' }, { descriptionsFile: 'texts.json' }],
  [{ PINTLE_LEASE_NAMESPACE: 'fruits-system' }, { leaseNamespace: 'fruits-system' }],
  [{ PINTLE_TELEMETRY: 'on' }, { telemetry: true }],
  [{ PINTLE_TELEMETRY: 'off' }, { telemetry: false }],
])('%j', (env, settings) => expect(loadProgramSettings(env)).toEqual(settings));

test.each([
  [{ LOG_LEVEL: 'loud' }, 'LOG_LEVEL is "loud"'],
  [{ PINTLE_WEBHOOKS: 'http://me.example.com' }, 'PINTLE_WEBHOOKS is "http://me.example.com"'],
  [{ PINTLE_DEFINITIONS: 'yes' }, 'PINTLE_DEFINITIONS is "yes"'],
  [{ PINTLE_TELEMETRY: 'yes' }, 'PINTLE_TELEMETRY is "yes"'],
])('%j is refused', (env, message) => expect(() => loadProgramSettings(env)).toThrow(message));

describe('a URL of webhooks', () => {
  test.each([
    ['https://a.test', 'https://a.test'],
    ['https://a.test/below/', 'https://a.test/below'],
    ['https://[::1]:9443', 'https://[::1]:9443'],
    ['http://a.test', undefined],
    ['https://a:b@a.test', undefined],
    ['https://a.test?x=1', undefined],
    ['a.test', undefined],
  ])('%s', (text, url) => expect(webhookUrl(text)).toBe(url));
});
