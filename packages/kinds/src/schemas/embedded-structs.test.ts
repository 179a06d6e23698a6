import type { JsonValue } from '@pintle/machinery/json';
import { compileTyped } from '@pintle/machinery/schema';
import { expect, test } from 'vitest';
import { schemaOf } from './index.ts';

/** Where a value of the wrong type is said to be. */
function placeOf(group: string, kind: string, body: JsonValue): string {
  try {
    compileTyped(schemaOf({ group, version: 'v1', kind })!).read(body);
  } catch (error) {
    return /struct field (\S+)/.exec((error as Error).message)?.[1] ?? '';
  }
  return '';
}

const pod = (spec: JsonValue): string => placeOf('', 'Pod', { spec });

test('a wrong value is found below the structs that Go embeds', () => {
  expect(pod({ volumes: [{ configMap: { defaultMode: 'x' } }] })).toBe(
    'ConfigMapVolumeSource.spec.volumes.VolumeSource.configMap.defaultMode',
  );
  expect(pod({ volumes: [{ name: 5 }] })).toBe('Volume.spec.volumes.name');
  expect(pod({ ephemeralContainers: [{ livenessProbe: { grpc: { port: 'x' } } }] })).toBe(
    'GRPCAction.spec.ephemeralContainers.EphemeralContainerCommon.livenessProbe.ProbeHandler.grpc.port',
  );
  expect(pod({ containers: [{ envFrom: [{ secretRef: { name: 5 } }] }] })).toBe(
    'SecretEnvSource.spec.containers.envFrom.secretRef.LocalObjectReference.name',
  );
  expect(placeOf('', 'PersistentVolume', { spec: { csi: { driver: 5 } } })).toBe(
    'CSIPersistentVolumeSource.spec.PersistentVolumeSource.csi.driver',
  );
});

test('a struct embedded in an embedded struct is named after it', () => {
  const resourceRules = (rule: JsonValue) => ({ spec: { matchConstraints: { resourceRules: [rule] } } });
  const policy = (rule: JsonValue) =>
    placeOf('admissionregistration.k8s.io', 'ValidatingAdmissionPolicy', resourceRules(rule));
  expect(policy({ resources: [5] })).toMatch(/resourceRules\.RuleWithOperations\.Rule\.resources$/);
  expect(policy({ operations: [5] })).toMatch(/resourceRules\.RuleWithOperations\.operations$/);
  expect(policy({ resourceNames: [5] })).toMatch(/resourceRules\.resourceNames$/);
});
