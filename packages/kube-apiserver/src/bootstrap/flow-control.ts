import { AUTO_UPDATE, defaultFlows, defaultLevels, MANDATORY } from '@pintle/apiserver/flow';
import type { PriorityLevelConfiguration } from '@pintle/kinds/flowcontrol/v1';
import type { KubernetesObject } from '@pintle/machinery';
import { deepEqual } from '@pintle/machinery/json';
import type { Seed, SeedContext } from './seed.ts';

const GROUP_VERSION = { group: 'flowcontrol.apiserver.k8s.io', version: 'v1' };

/** Returns the FlowSchemas and priority levels that every server creates at its first start. */
export function flowControlSeeds({ nowMs }: SeedContext): Seed[] {
  const seedsOf = (resource: string, objects: readonly KubernetesObject[]): Seed[] =>
    objects.map((object) => ({
      gvr: { ...GROUP_VERSION, resource },
      object,
      hasGeneration: true,
      upkeep: flowUpkeep,
    }));
  return [...seedsOf('prioritylevelconfigurations', defaultLevels()), ...seedsOf('flowschemas', defaultFlows(nowMs))];
}

/** Returns a level or schema with its mandatory values; `undefined` when it has them already. */
export function flowUpkeep(stored: KubernetesObject, seed: KubernetesObject): KubernetesObject | undefined {
  const isMandatory = MANDATORY.has(stored.metadata.name ?? '');
  const wish = stored.metadata.annotations?.[AUTO_UPDATE];
  const isOurs = isMandatory || wish === 'true' || (wish === undefined && stored.metadata.generation === 1);
  const { spec } = stored as PriorityLevelConfiguration;
  const wanted = (seed as PriorityLevelConfiguration).spec!;
  // Users may change how many seats the exempt level lends.
  const next = spec?.exempt && wanted.exempt ? { ...wanted, exempt: spec.exempt } : wanted;
  const isWishRight = !isMandatory || wish === 'true';
  if (!isOurs || (deepEqual(spec, next) && isWishRight)) return undefined;
  const { generation = 0, annotations: notes } = stored.metadata;
  const metadata = {
    ...stored.metadata,
    generation: deepEqual(spec, next) ? generation : generation + 1,
    ...(isMandatory && { annotations: { ...notes, [AUTO_UPDATE]: 'true' } }),
  };
  return { ...stored, metadata, spec: next } as KubernetesObject;
}
