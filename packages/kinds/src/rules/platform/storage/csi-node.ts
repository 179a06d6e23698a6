import { duplicate, FieldPath, invalid, required } from '@pintle/machinery/errors';
import { deepEqual } from '@pintle/machinery/json';
import { byteLength, validateQualifiedName } from '@pintle/machinery/names';
import type { ResourceRules } from '@pintle/machinery/rules';
import type { CSINode, CSINodeDriver } from '../../../generated/storage/v1.ts';
import { type Check, checkNonNegative, collect, problems } from '../../common/checks.ts';
import { firstByName, repeats } from '../../common/lists.ts';
import { age, ageColumn, column, nameColumn, nameOf } from '../../common/printers.ts';
import { checkCsiDriverName } from '../core/volume-sources.ts';

const path = FieldPath.of('spec', 'drivers');
const nodeIdMaxBytes = 256;

export const csiNodeRules: ResourceRules<CSINode> = {
  metadataChecks: ['create'],
  unconditionalUpdate: false,
  returnsDeletedObject: true,
  validate: (node) => collect(checkDrivers(node)),
  validateUpdate: (next, previous) => collect(checkDrivers(next), checkChange(next, previous)),
  printer: {
    columns: [nameColumn, column('Drivers', 'integer'), ageColumn],
    row: (node, context) => [nameOf(node), (node.spec.drivers ?? []).length, age(node, context)],
  },
};

function* checkDrivers({ spec }: CSINode): Check {
  const names = new Set<string>();
  for (const [index, driver] of (spec.drivers ?? []).entries()) {
    const at = path.index(index);
    yield* checkDriver(driver, at);
    if (names.has(driver.name)) yield duplicate(at.child('name'), driver.name);
    names.add(driver.name);
    yield* checkTopologyKeys(driver.topologyKeys ?? [], at);
  }
}

function* checkDriver({ name, nodeID, allocatable }: CSINodeDriver, at: FieldPath): Check {
  yield* checkCsiDriverName(name, at.child('name'));
  if (nodeID === '') yield required(at.child('nodeID'));
  if (byteLength(nodeID) > nodeIdMaxBytes)
    yield invalid(at.child('nodeID'), nodeID, `must be ${nodeIdMaxBytes} characters or less`);
  yield* checkNonNegative(at.child('allocatable', 'count'), allocatable?.count);
}

function* checkTopologyKeys(keys: readonly string[], at: FieldPath): Check {
  const isRepeated = repeats<string>();
  for (const key of keys) {
    if (key === '') yield required(at);
    if (isRepeated(key)) yield duplicate(at, key);
    yield* problems(at, key, validateQualifiedName(key));
  }
}

/** An existing driver must not change, except for its number of volumes. */
function* checkChange(next: CSINode, previous: CSINode): Check {
  const drivers = firstByName(next.spec.drivers);
  for (const former of previous.spec.drivers ?? []) {
    const driver = drivers.get(former.name);
    if (driver === undefined || deepEqual(withoutCount(driver), withoutCount(former))) continue;
    yield invalid(path, goDriver(driver), 'field is immutable');
  }
}

function withoutCount({ allocatable: _, ...driver }: CSINodeDriver): object {
  return driver;
}

function goDriver({ name, nodeID, topologyKeys }: CSINodeDriver): object {
  return { Name: name, NodeID: nodeID, TopologyKeys: topologyKeys ?? null, Allocatable: null };
}
