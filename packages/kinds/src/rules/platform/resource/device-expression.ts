import {
  BOOL,
  compileExpression,
  DYN,
  Environment,
  kubernetesLibraries,
  mapType,
  STRING,
  structType,
} from '@pintle/cel';
import { type FieldPath, forbidden, internal, invalid } from '@pintle/machinery/errors';
import type { Check } from '../../common/checks.ts';

const maxCost = 1_000_000;

/** Checks an expression that selects devices: it must compile, return a boolean, and not cost too much. */
export function* checkDeviceExpression(expression: string, path: FieldPath): Check {
  // The type checker does not support `cel.bind`, which only expressions about devices may use.
  if (expression.includes('cel.bind(')) return;
  const compiled = compileExpression(expression, deviceEnvironment());
  if (!('program' in compiled)) {
    if (compiled.stage === 'compile') yield invalid(path, expression, `compilation failed: ${compiled.error}`);
    else yield internal(path, `program instantiation failed: ${compiled.error}`);
    return;
  }
  const { type } = compiled.program;
  if (type.kind !== 'bool' && type.kind !== 'dyn')
    yield invalid(path, expression, `must evaluate to bool or the unknown type, not ${type.name}`);
  else if (compiled.program.estimateCost(maxSizeAt).max > maxCost)
    yield forbidden(path, 'too complex, exceeds cost limit');
}

let environment: Environment | undefined;

/** Returns the environment with `device` as its only variable. Made for the first expression. */
function deviceEnvironment(): Environment {
  environment ??= new Environment({
    variables: { device: structType(deviceType) },
    libraries: kubernetesLibraries,
    findStruct: (name) => (name === deviceType ? { name, field: (field) => fields.get(field) } : undefined),
  });
  return environment;
}

const deviceType = 'kubernetes.DRADevice';

const fields = new Map([
  ['driver', STRING],
  ['attributes', mapType(STRING, mapType(STRING, DYN))],
  ['capacity', mapType(STRING, mapType(STRING, structType('kubernetes.Quantity')))],
  ['allowMultipleAllocations', BOOL],
]);

const sizes = { driver: 63, domain: 63, identifier: 32, attribute: 64, entries: 32 };

/** Returns the greatest size of a part of a device: maps of domains, each of them a map of names. */
function maxSizeAt([variable, field, ...inside]: readonly string[]): number | undefined {
  if (variable !== 'device') return undefined;
  if (field === 'driver') return sizes.driver;
  if (field === 'allowMultipleAllocations') return 1;
  if (field !== 'attributes' && field !== 'capacity') return undefined;
  const [outer, inner] = inside;
  if (outer === undefined) return sizes.entries;
  if (outer === '@keys') return sizes.domain;
  if (inner === undefined) return sizes.entries;
  if (inner === '@keys') return sizes.identifier;
  return field === 'attributes' ? sizes.attribute : undefined;
}
