import type { KubernetesObject } from '@pintle/machinery';
import { FieldPath } from '@pintle/machinery/errors';
import { describe, expect, test } from 'vitest';
import { loadAll } from '../../testing/load-all.ts';
import { createObject, updateObject } from '../../testing/read-object.ts';
import { platformRules } from '../index.ts';
import { checkUid } from './device-names.ts';

const rules = (await loadAll(platformRules))['resource.k8s.io']!;

function bodyOf(kind: string, spec: object): object {
  return { apiVersion: 'resource.k8s.io/v1', kind, metadata: { name: 'a' }, spec };
}

/** The fields that a create is refused for, in order. */
function refused(kind: string, spec: object): string[] {
  const errors = rules[kind]!.validate!(createObject(rules[kind]!, bodyOf(kind, spec)));
  return errors.map(({ field }) => field);
}

const exactly = { deviceClassName: 'gpu' };
const claim = (devices: object): string[] => refused('ResourceClaim', { devices });
const request = (fields: object): string[] => claim({ requests: [{ name: 'r', ...fields }] });

describe('a claim', () => {
  test('asks for one device unless it says how many', () => {
    const created = createObject(
      rules.ResourceClaim!,
      bodyOf('ResourceClaim', { devices: { requests: [{ name: 'r', exactly: { ...exactly, tolerations: [{}] } }] } }),
    );
    expect(created).toMatchObject({
      spec: {
        devices: {
          requests: [{ exactly: { allocationMode: 'ExactCount', count: 1, tolerations: [{ operator: 'Equal' }] } }],
        },
      },
      status: {},
    });
  });

  test('names each request once, and well', () => {
    expect(
      claim({
        requests: [
          { name: '', exactly },
          { name: 'b', exactly },
          { name: 'b', exactly },
        ],
      }),
    ).toEqual(['spec.devices.requests[0].name', 'spec.devices.requests[2]']);
  });

  test('says for each request either what it wants or what would do', () => {
    expect(request({})).toEqual(['spec.devices.requests[0]']);
    expect(request({ exactly, firstAvailable: [{ name: 'x', ...exactly }] })).toEqual(['spec.devices.requests[0]']);
    expect(
      request({
        firstAvailable: [
          { name: 'x', ...exactly },
          { name: 'x', ...exactly },
        ],
      }),
    ).toEqual(['spec.devices.requests[0].firstAvailable[1]']);
  });

  test.each([
    [{ deviceClassName: '' }, ['deviceClassName']],
    [{ ...exactly, allocationMode: 'Odd' }, ['allocationMode']],
    [{ ...exactly, allocationMode: 'All', count: 2 }, ['count']],
    [{ ...exactly, count: -1 }, ['count']],
    [{ ...exactly, selectors: [{}] }, ['selectors[0].cel']],
    [{ ...exactly, tolerations: [{ operator: 'Exists', value: 'v' }] }, ['tolerations[0].value']],
    [
      { ...exactly, tolerations: [{ operator: 'Odd', effect: 'Odd' }] },
      ['tolerations[0].operator', 'tolerations[0].effect'],
    ],
  ])('%j is refused', (wanted, fields) => {
    expect(request({ exactly: wanted })).toEqual(fields.map((field) => `spec.devices.requests[0].exactly.${field}`));
  });

  test('constrains and configures requests that it has', () => {
    const requests = [{ name: 'r', firstAvailable: [{ name: 'x', ...exactly }] }];
    const constraints = [
      { requests: ['r/x', 'r/y'], matchAttribute: 'example.com/numa' },
      { matchAttribute: 'numa' },
      {},
    ];
    expect(claim({ requests, constraints })).toEqual([
      'spec.devices.constraints[0].requests[1]',
      'spec.devices.constraints[1].matchAttribute',
      'spec.devices.constraints[2]',
    ]);
    const config = [{ requests: ['z'], opaque: { driver: 'example.com', parameters: { a: 1 } } }, {}];
    expect(claim({ requests, config })).toEqual([
      'spec.devices.config[0].requests[0]',
      'spec.devices.config[1].opaque',
    ]);
    expect(claim({ requests, config: [{ opaque: { driver: '', parameters: [] } }] })).toEqual([
      'spec.devices.config[0].opaque.driver',
      'spec.devices.config[0].opaque.parameters',
    ]);
  });
});

describe('the status of a claim', () => {
  const result = { request: 'r', driver: 'example.com', pool: 'p', device: 'd' };
  const consumer = { resource: 'pods', name: 'p', uid: '1' };
  const device = { driver: 'example.com', pool: 'p', device: 'd' };

  function change(...statuses: object[]): string[][] {
    let object: KubernetesObject = createObject(
      rules.ResourceClaim!,
      bodyOf('ResourceClaim', { devices: { requests: [{ name: 'r', exactly }] } }),
    );
    return statuses.map((status) => {
      const { next, errors } = updateObject(
        rules.ResourceClaim!,
        object,
        (claimed) => Object.assign(claimed, { status }),
        'status',
      );
      object = next;
      return errors.map((error) => error.split(':', 1)[0]!);
    });
  }

  test('gives devices once', () => {
    const other = { devices: { results: [{ ...result, device: 'e' }] } };
    expect(change({ allocation: { devices: { results: [result] } } }, { allocation: other })).toEqual([
      [],
      ['status.allocation'],
    ]);
  });

  test('gives devices that were asked for', () => {
    expect(change({ allocation: { devices: { results: [{ ...result, request: 'q', pool: '' }] } } })).toEqual([
      ['status.allocation.devices.results[0].request', 'status.allocation.devices.results[0].pool'],
    ]);
  });

  test('reserves what is allocated', () => {
    expect(change({ reservedFor: [consumer, consumer] })).toEqual([['status.reservedFor[1]', 'status.reservedFor']]);
  });

  test('tells of devices while they are allocated', () => {
    const allocation = { devices: { results: [result] } };
    const conditions = [
      { type: 'Ready', status: 'True', reason: 'Ok', message: '', lastTransitionTime: '2024-01-01T00:00:00Z' },
    ];
    expect(change({ devices: [device] }, { allocation, devices: [{ ...device, conditions }] }, {})).toEqual([
      ['status.devices[0]'],
      [],
      [],
    ]);
  });
});

describe('a slice', () => {
  const pool = { name: 'p', generation: 1, resourceSliceCount: 1 };
  const slice = (fields: object): string[] =>
    refused('ResourceSlice', { driver: 'example.com', nodeName: 'n', pool, ...fields });
  const device = (fields: object, more: object = {}): string[] =>
    slice({ devices: [{ name: 'd', ...fields }], ...more }).map((field) => field.replace('spec.devices[0]', ''));

  test('says where its devices are in one way', () => {
    expect(slice({ allNodes: true })).toEqual(['spec']);
    expect(slice({ nodeName: '' })).toEqual(['spec.nodeName', 'spec']);
  });

  test('has a driver and a pool', () => {
    expect(slice({ driver: '', pool: { name: 'a//b', generation: -1, resourceSliceCount: 0 } })).toEqual([
      'spec.driver',
      'spec.pool.name',
      'spec.pool.resourceSliceCount',
      'spec.pool.generation',
    ]);
  });

  test.each([
    [{ attributes: { model: { string: 'x' } }, capacity: { memory: { value: '1Gi' } } }, []],
    [{ attributes: { 'a b': { int: 1 } } }, ['.attributes']],
    [{ attributes: { 'example.com/': { int: 1 } } }, ['.attributes']],
    [{ attributes: { a: { string: 'x', int: 1 }, b: {} } }, ['.attributes[a]', '.attributes[b]']],
    [{ attributes: { a: { version: '1' } } }, ['.attributes[a].version']],
    [{ attributes: { a: { string: 'x'.repeat(65) } } }, ['.attributes[a].string']],
    [{ taints: [{ key: 'a b', effect: 'Odd' }] }, ['.taints[0].key', '.taints[0].effect']],
    [{ nodeName: 'n' }, ['']],
    [
      { consumesCounters: [{ counterSet: '', counters: {} }] },
      ['.consumesCounters[0].counterSet', '.consumesCounters[0].counters'],
    ],
    [{ bindingConditions: ['a'] }, ['.bindingFailureConditions']],
    [{ bindingConditions: ['a'], bindingFailureConditions: ['a'] }, ['.bindingFailureConditions[0]']],
    [{ capacity: { m: { value: '1', requestPolicy: { default: '1' } } } }, ['.capacity[m].requestPolicy']],
  ])('a device of %j', (fields, expected) => {
    expect(device(fields)).toEqual(expected);
  });

  test.each([
    [{ default: '1', validValues: ['1', '2'] }, []],
    [{ validValues: ['1'] }, ['.default']],
    [{ default: '3', validValues: ['2', '1', '9'] }, ['.validValues[1]', '.validValues[2]', '.validValues']],
    [{ default: '2', validRange: { min: '1', max: '4', step: '1' } }, []],
    [{ default: '5', validRange: { min: '2', max: '4', step: '2' } }, ['.validRange.max', '.validRange.step']],
    [{ default: '1', validValues: ['1'], validRange: { min: '1' } }, ['']],
  ])('shares of a capacity by %j', (requestPolicy, expected) => {
    const capacity = { m: { value: '8', requestPolicy } };
    expect(device({ allowMultipleAllocations: true, capacity })).toEqual(
      expected.map((field) => `.capacity[m].requestPolicy${field}`),
    );
  });

  test('places devices one by one when it says so', () => {
    const alone = { nodeName: null, perDeviceNodeSelection: true };
    expect(device({}, alone)).toEqual(['']);
    expect(device({ nodeName: 'n' }, alone)).toEqual([]);
  });

  test('counts what devices share', () => {
    expect(
      slice({
        sharedCounters: [
          { name: 'a', counters: { A_: { value: '1' } } },
          { name: 'a', counters: {} },
        ],
      }),
    ).toEqual(['spec.sharedCounters[0].counters', 'spec.sharedCounters[1].counters', 'spec.sharedCounters[1]']);
  });
});

test('a class selects, configures and may stand for a resource of containers', () => {
  expect(refused('DeviceClass', { selectors: [{}], config: [{}], extendedResourceName: 'cpu' })).toEqual([
    'spec.selectors[0].cel',
    'spec.config[0].opaque',
    'spec.extendedResourceName',
  ]);
});

test.each([
  ['device.driver == "example.com"', []],
  ['device.attributes["example.com"].healthy', []],
  ['device.capacity["example.com"].memory.compareTo(quantity("1Gi")) >= 0', []],
  ['cel.bind(d, device.attributes["example.com"], d.fast && d.large)', []],
  ['device.(', ['FieldValueInvalid']],
  ['device.driver', ['FieldValueInvalid']],
  ['device.colour == "red"', ['FieldValueInvalid']],
  [
    'device.attributes.all(a, device.attributes.all(b, device.attributes.all(c, device.attributes.all(d, a == d))))',
    ['FieldValueForbidden'],
  ],
])('devices are chosen by %s', (expression, reasons) => {
  const body = bodyOf('DeviceClass', { selectors: [{ cel: { expression } }] });
  const errors = rules.DeviceClass!.validate!(createObject(rules.DeviceClass!, body));
  expect(errors.map(({ reason }) => reason)).toEqual(reasons);
});

test('a template stays as it is', () => {
  const spec = { spec: { devices: { requests: [{ name: 'r', exactly }] } } };
  const template = createObject(rules.ResourceClaimTemplate!, bodyOf('ResourceClaimTemplate', spec));
  const { errors } = updateObject(rules.ResourceClaimTemplate!, template, (next) =>
    Object.assign(next, { spec: { metadata: {}, spec: { devices: { requests: [{ name: 'R', exactly }] } } } }),
  );
  expect(errors.map((error) => error.split(':', 1)[0])).toEqual(['spec.spec.devices.requests[0].name', 'spec']);
});

test.each([
  ['x', 'error validating uid: invalid UUID length: 1'],
  ['z'.repeat(36), 'error validating uid: invalid UUID format'],
  ['A'.repeat(32), 'uid must be in RFC 4122 normalized form'],
  ['8f2c1a52-0000-4000-8000-000000000000', ''],
])('%s as a uid', (uid, complaint) => {
  expect([...checkUid(uid, FieldPath.of('uid'))].map(({ body }) => body).join()).toContain(complaint);
});
