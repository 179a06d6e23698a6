import { duplicate, type FieldError, type FieldPath, forbidden, invalid, required } from '@pintle/machinery/errors';
import { byteLength, dns1123SubdomainName, validateDns1123Label } from '@pintle/machinery/names';
import type { Volume } from '../../../../../generated/core/v1.ts';
import { requiredMatching } from '../../../checks.ts';
import type { PodSpecContext } from '../context.ts';
import { type SourceName, sourceNames, volumeSourceRules } from './volume-sources.ts';

/** Checks the volumes of a Pod, and returns those that containers may mount: an invalid volume counts as missing. */
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

/** Requires exactly one source; checks the first and refuses any other. */
function validateSource(volume: Volume, context: PodSpecContext, path: FieldPath): FieldError[] {
  const [first, ...others] = sourceNames.filter((name) => volume[name] !== undefined);
  if (first === undefined) return [required(path, 'must specify a volume type')];
  return [
    ...checkSource(first, volume, context, path),
    ...(first === 'ephemeral' ? validateClaimName(volume, context, path) : []),
    ...validateInitiatorLength(volume, path.child('name')),
    ...others.map((name) =>
      forbidden(path.child(namesInErrors[name] ?? name), 'may not specify more than 1 volume type'),
    ),
  ];
}

/** Names that Kubernetes' errors use instead of the API's. */
const namesInErrors: Partial<Record<SourceName, string>> = { cephfs: 'cephFS', downwardAPI: 'downwarAPI' };
const pathsInErrors: Partial<Record<SourceName, string>> = { gcePersistentDisk: 'persistentDisk' };

function checkSource(name: SourceName, volume: Volume, context: PodSpecContext, path: FieldPath): FieldError[] {
  const check = volumeSourceRules[name] as (source: unknown, path: FieldPath, context: PodSpecContext) => FieldError[];
  return check(volume[name], path.child(pathsInErrors[name] ?? name), context);
}

/** Volume and portal together form the name of the interface of a custom initiator. */
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

/** Returns the names of the claims for the ephemeral volumes of a Pod; empty while the Pod has no name. */
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
