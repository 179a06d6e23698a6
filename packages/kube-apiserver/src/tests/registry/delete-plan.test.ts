import type { DeleteOptions, ServedResource } from '@pintle/apiserver/resource';
import { ResourceRegistry } from '@pintle/apiserver/resource';
import { isReleased, planDeletion } from '@pintle/apiserver/testing';
import type { KubernetesObject, ObjectMeta } from '@pintle/machinery';
import { describe, expect, test } from 'vitest';
import { builtinLoader } from '../../builtin/builtin-loader.ts';
import type { BuiltinServices } from '../../builtin/builtin-services.ts';

const registry = new ResourceRegistry(builtinLoader({} as BuiltinServices));
const NOW = Date.UTC(2026, 0, 1, 12);
const HOLD = 'example.com/hold';

const resources = new Map<string, ServedResource>();
for (const [group, ...plurals] of [
  ['', 'configmaps', 'events', 'namespaces', 'pods', 'replicationcontrollers'],
  ['apps', 'deployments'],
  ['batch', 'jobs'],
] as const) {
  for (const resource of plurals) resources.set(resource, (await registry.find({ group, version: 'v1', resource }))!);
}

function resourceOf(plural: string): ServedResource {
  return resources.get(plural)!;
}

function plan(plural: string, metadata: ObjectMeta, options: Partial<DeleteOptions> = {}, rest = {}) {
  const resource = resourceOf(plural);
  const object = { apiVersion: 'v1', kind: resource.type.kind, metadata: { name: 'x', ...metadata }, ...rest };
  return planDeletion(resource, object, { isDryRun: false, preconditions: {}, ...options }, NOW);
}

const running = { spec: { nodeName: 'n', terminationGracePeriodSeconds: 30, containers: [] } };
const ending = { deletionTimestamp: '2026-01-01T12:00:30Z', deletionGracePeriodSeconds: 30 };

describe('A deletion', () => {
  test('of what nothing holds removes it', () => {
    expect(plan('configmaps', {})).toEqual({ step: 'remove' });
  });

  test('of what a finalizer holds marks it and counts as a change', () => {
    const { metadata } = { metadata: { finalizers: [HOLD], generation: 4 } };
    expect(plan('configmaps', metadata)).toMatchObject({
      step: 'mark',
      next: {
        metadata: { deletionTimestamp: '2026-01-01T12:00:00Z', deletionGracePeriodSeconds: 0, generation: 5 },
      },
    });
  });

  test('of what is marked already changes neither its time nor its generation', () => {
    const marked = {
      finalizers: [HOLD],
      generation: 5,
      deletionTimestamp: '2026-01-01T11:00:00Z',
      deletionGracePeriodSeconds: 0,
    };
    expect(plan('configmaps', marked)).toMatchObject({ step: 'mark', next: { metadata: marked } });
  });
});

describe('A propagation policy', () => {
  const finalizersAfter = (plural: string, before: string[], options: Partial<DeleteOptions>) => {
    const result = plan(plural, { finalizers: before }, options);
    return 'next' in result ? result.next.metadata.finalizers : [];
  };

  test.each<[string, string[], Partial<DeleteOptions>, string[]]>([
    ['Foreground is recorded', [], { propagationPolicy: 'Foreground' }, ['foregroundDeletion']],
    ['Orphan is recorded after what is there', [HOLD], { propagationPolicy: 'Orphan' }, [HOLD, 'orphan']],
    ['the former spelling of Orphan', [], { orphanDependents: true }, ['orphan']],
    ['Background takes back what was recorded', ['orphan'], { propagationPolicy: 'Background' }, []],
    ['Foreground replaces Orphan', ['orphan'], { propagationPolicy: 'Foreground' }, ['foregroundDeletion']],
    ['without options the recorded one holds', ['orphan', HOLD], {}, ['orphan', HOLD]],
  ])('%s', (_name, before, options, after) => {
    expect(finalizersAfter('configmaps', before, options)).toEqual(after);
  });

  test('is Orphan for ReplicationControllers and Jobs that do not say', () => {
    expect(finalizersAfter('replicationcontrollers', [], {})).toEqual(['orphan']);
    expect(finalizersAfter('jobs', [], {})).toEqual(['orphan']);
    expect(finalizersAfter('deployments', [], {})).toEqual([]);
  });

  test('means nothing to events', () => {
    expect(plan('events', {}, { propagationPolicy: 'Orphan' })).toEqual({ step: 'remove' });
  });
});

describe('The grace period of a pod', () => {
  test('is its own unless the delete says another', () => {
    const own = { deletionTimestamp: '2026-01-01T12:00:30Z', deletionGracePeriodSeconds: 30 };
    expect(plan('pods', {}, {}, running)).toMatchObject({ step: 'mark', next: { metadata: own } });
    const short = { deletionTimestamp: '2026-01-01T12:00:05Z', deletionGracePeriodSeconds: 5 };
    expect(plan('pods', {}, { gracePeriodSeconds: 5 }, running)).toMatchObject({ next: { metadata: short } });
  });

  test.each([
    ['no node runs it', {}],
    ['it has ended', { ...running, status: { phase: 'Succeeded' } }],
  ])('is none when %s, and its end is still announced', (_name, rest) => {
    expect(plan('pods', {}, {}, rest)).toMatchObject({
      step: 'windDown',
      next: { metadata: { deletionGracePeriodSeconds: 0 } },
    });
  });

  test('can be shortened later, counted from the first delete', () => {
    expect(plan('pods', ending, { gracePeriodSeconds: 10 }, running)).toMatchObject({
      step: 'mark',
      next: { metadata: { deletionTimestamp: '2026-01-01T12:00:10Z', deletionGracePeriodSeconds: 10 } },
    });
    expect(plan('pods', ending, { gracePeriodSeconds: 0 }, running)).toMatchObject({ step: 'windDown' });
  });

  test('cannot be made longer, and a delete that does not hasten it waits', () => {
    expect(plan('pods', ending, { gracePeriodSeconds: 60 }, running)).toEqual({ step: 'wait' });
    expect(plan('pods', ending, {}, running)).toEqual({ step: 'wait' });
  });

  test('of less than nothing is one second', () => {
    expect(plan('pods', {}, { gracePeriodSeconds: -5 }, running)).toMatchObject({
      next: { metadata: { deletionGracePeriodSeconds: 1 } },
    });
  });

  test('does not outlive a finalizer', () => {
    const held = { ...ending, deletionGracePeriodSeconds: 0, finalizers: [HOLD] };
    expect(plan('pods', held, {}, running)).toMatchObject({ step: 'mark' });
  });
});

describe('A namespace', () => {
  const spec = { spec: { finalizers: ['kubernetes'] }, status: { phase: 'Active' } };
  const terminating = { deletionTimestamp: '2026-01-01T12:00:00Z' };

  test('is told to end first', () => {
    const result = plan('namespaces', {}, {}, spec);
    expect(result).toMatchObject({ step: 'mark', next: { status: { phase: 'Terminating' }, metadata: terminating } });
    expect(result).not.toHaveProperty('next.metadata.deletionGracePeriodSeconds');
  });

  test('waits for the finalizers of its spec, then goes', () => {
    expect(plan('namespaces', terminating, {}, spec)).toEqual({ step: 'wait' });
    expect(plan('namespaces', terminating, {}, { spec: {} })).toEqual({ step: 'remove' });
  });

  test('is released by an update only once both lists of finalizers are empty', () => {
    const released = (metadata: ObjectMeta, finalizers: string[]) =>
      isReleased(resourceOf('namespaces'), {
        apiVersion: 'v1',
        kind: 'Namespace',
        metadata,
        spec: { finalizers },
      } as KubernetesObject);
    expect(released({}, [])).toBe(false);
    expect(released(terminating, ['kubernetes'])).toBe(false);
    expect(released({ ...terminating, finalizers: [HOLD] }, [])).toBe(false);
    expect(released(terminating, [])).toBe(true);
  });
});
