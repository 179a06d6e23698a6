import { duplicate, type FieldError, type FieldPath, forbidden, invalid, required } from '@pintle/machinery/errors';
import { byteLength, dns1123SubdomainName, validateDns1123Label } from '@pintle/machinery/names';
import type { Volume } from '../../../../../generated/core/v1.ts';
import { requiredMatching } from '../../../checks.ts';
import type { PodSpecContext } from '../context.ts';
import { type SourceName, sourceNames, volumeSourceRules } from './volume-sources.ts';

/** The volumes of a Pod, and which of them containers may mount: a volume with a mistake counts as missing. */
export function validateVolumes(
  volumes: readonly Volume[] | undefined,
  context: PodSpecContext,
  path: FieldPath,
): { readonly errors: FieldError[]; readonly usable: ReadonlyMap<string, Volume> } {
  const usable = new Map<string, Volume>();
  const made = claimsMadeFor(volumes ?? [], context);
  const errors = (volumes ?? []).flatMap((volume, index) => {
    const at = path.index(index);
    const found = validateVolume(volume, context, at);
    if (usable.has(volume.name)) found.push(duplicate(at.child('name'), volume.name));
    if (found.length === 0) usable.set(volume.name, volume);
    return [...found, ...validateClaimIsForeign(volume, made, at)];
  });
  return { errors, usable };
}

function validateVolume(volume: Volume, context: PodSpecContext, path: FieldPath): FieldError[] {
  return [
    ...validateSource(volume, context, path),
    ...requiredMatching(volume.name, validateDns1123Label, path.child('name')),
  ];
}

/** Exactly one source; the first found is looked into, any other is one too many. */
function validateSource(volume: Volume, context: PodSpecContext, path: FieldPath): FieldError[] {
  const [first, ...others] = sourceNames.filter((name) => volume[name] !== undefined);
  if (first === undefined) return [required(path, 'must specify a volume type')];
  return [
    ...checkSource(first, volume, context, path),
    ...(first === 'ephemeral' ? validateClaimName(volume, context, path) : []),
    ...validateInitiatorLength(volume, path.child('name')),
    ...others.map((name) => forbidden(path.child(misspelt[name] ?? name), 'may not specify more than 1 volume type')),
  ];
}

/** Kubernetes reports these under names of its own. */
const misspelt: Partial<Record<SourceName, string>> = { cephfs: 'cephFS', downwardAPI: 'downwarAPI' };
const looksInto: Partial<Record<SourceName, string>> = { gcePersistentDisk: 'persistentDisk' };

function checkSource(name: SourceName, volume: Volume, context: PodSpecContext, path: FieldPath): FieldError[] {
  const check = volumeSourceRules[name] as (source: unknown, path: FieldPath, context: PodSpecContext) => FieldError[];
  return check(volume[name], path.child(looksInto[name] ?? name), context);
}

/** Volume and portal together name the interface that an initiator of its own gets. */
function validateInitiatorLength({ name, iscsi }: Volume, path: FieldPath): FieldError[] {
  if (iscsi?.initiatorName === undefined || byteLength(`${name}:${iscsi.targetPortal}`) <= 64) return [];
  const rule = 'Total length of <volume name>:<iscsi.targetPortal> must be under 64 characters';
  return [invalid(path, name, `${rule} if iscsi.initiatorName is specified.`)];
}

/** An ephemeral volume becomes a claim named after the Pod and the volume. */
function validateClaimName({ name }: Volume, { metadata }: PodSpecContext, path: FieldPath): FieldError[] {
  if (!metadata?.name || !name) return [];
  const claim = `${metadata.name}-${name}`;
  return dns1123SubdomainName(claim, false).map((problem) =>
    invalid(path.child('name'), name, `PVC name "${claim}": ${problem}`),
  );
}

/** The names of the claims that the ephemeral volumes of a Pod become. Without its name nobody knows them. */
function claimsMadeFor(volumes: readonly Volume[], { metadata }: PodSpecContext): ReadonlySet<string> {
  if (!metadata?.name) return new Set();
  return new Set(volumes.filter(({ ephemeral }) => ephemeral).map(({ name }) => `${metadata.name}-${name}`));
}

function validateClaimIsForeign(volume: Volume, made: ReadonlySet<string>, path: FieldPath): FieldError[] {
  const claim = volume.persistentVolumeClaim?.claimName;
  if (claim === undefined || !made.has(claim)) return [];
  const detail = 'must not reference a PVC that gets created for an ephemeral volume';
  return [invalid(path.child('persistentVolumeClaim', 'claimName'), claim, detail)];
}
