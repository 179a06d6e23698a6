import { duplicate, FieldPath, invalid, notSupported } from '@pintle/machinery/errors';
import { deepEqual } from '@pintle/machinery/json';
import type { ResourceRules } from '@pintle/machinery/rules';
import type { CSIDriver, CSIDriverSpec, TokenRequest } from '../../../generated/storage/v1.ts';
import { type Check, checkOptionalChoice, checkUnchanged, collect } from '../../common/checks.ts';
import { ensure } from '../../common/object-fields.ts';
import { age, ageColumn, column, nameColumn, nameOf } from '../../common/printers.ts';

const path = FieldPath.of('spec');

export const csiDriverRules: ResourceRules<CSIDriver> = {
  unconditionalUpdate: false,
  returnsDeletedObject: true,
  default: (driver) => {
    const spec = ensure(driver, 'spec');
    spec.attachRequired ??= true;
    spec.podInfoOnMount ??= false;
    spec.storageCapacity ??= false;
    spec.fsGroupPolicy ??= 'ReadWriteOnceWithFSType';
    if (!spec.volumeLifecycleModes?.length) spec.volumeLifecycleModes = ['Persistent'];
    spec.requiresRepublish ??= false;
    spec.seLinuxMount ??= false;
  },
  prepareForCreate: dropDisabledFields,
  /** A new driver has no generation. */
  prepareForUpdate: (next, previous) => {
    dropDisabledFields(next);
    if (!deepEqual(next.spec, previous.spec)) next.metadata.generation = (previous.metadata.generation ?? 0) + 1;
  },
  validate: ({ spec }) => collect(checkSpec(spec)),
  validateUpdate: (next, previous) => [
    ...checkSpec(next.spec),
    // Kubernetes spells this path with two letters more.
    ...checkUnchanged(path.child('attachedRequired'), next.spec.attachRequired, previous.spec.attachRequired),
    ...checkUnchanged(
      path.child('volumeLifecycleModes'),
      next.spec.volumeLifecycleModes,
      previous.spec.volumeLifecycleModes,
    ),
  ],
  warnings: (next, previous) => {
    const { tokenRequests = [], serviceAccountTokenInSecrets } = next.spec;
    const isNew = previous === undefined || !deepEqual(tokenRequests, previous.spec.tokenRequests ?? []);
    return isNew && tokenRequests.length > 0 && serviceAccountTokenInSecrets === undefined ? [tokensInSecrets] : [];
  },
  printer: {
    columns: [
      nameColumn,
      column('AttachRequired', 'boolean'),
      column('PodInfoOnMount', 'boolean'),
      column('StorageCapacity', 'boolean'),
      column('TokenRequests'),
      column('RequiresRepublish', 'boolean'),
      column('Modes'),
      ageColumn,
    ],
    row: (driver, context) => {
      const { spec } = driver;
      return [
        nameOf(driver),
        spec.attachRequired ?? true,
        spec.podInfoOnMount ?? false,
        spec.storageCapacity ?? false,
        spec.tokenRequests?.map(({ audience }) => audience).join(',') ?? '<unset>',
        spec.requiresRepublish ?? false,
        (spec.volumeLifecycleModes ?? []).join(',') || '<none>',
        age(driver, context),
      ];
    },
  },
};

const tokensInSecrets =
  'spec.serviceAccountTokenInSecrets is unset; if supported by this CSI driver, set to true to prevent possible logging of tokens in volume attributes';

/** Drops fields of features that Kubernetes 1.36 disables by default. */
function dropDisabledFields({ spec }: CSIDriver): void {
  delete spec.preventPodSchedulingIfMissing;
}

function* checkSpec(spec: CSIDriverSpec): Check {
  yield* checkOptionalChoice(path.child('fsGroupPolicy'), spec.fsGroupPolicy, [
    'File',
    'None',
    'ReadWriteOnceWithFSType',
  ]);
  yield* checkTokenRequests(spec.tokenRequests ?? []);
  const modes: readonly string[] = spec.volumeLifecycleModes ?? [];
  for (const mode of modes)
    if (mode !== 'Persistent' && mode !== 'Ephemeral')
      yield notSupported(path.child('volumeLifecycleModes'), mode, ['Persistent', 'Ephemeral']);
  const period = spec.nodeAllocatableUpdatePeriodSeconds;
  if (period !== undefined && period < 10)
    yield invalid(
      path.child('nodeAllocatableUpdatePeriodSeconds'),
      period,
      'must be greater than or equal to 10 seconds',
    );
  if (spec.serviceAccountTokenInSecrets !== undefined && !spec.tokenRequests?.length)
    yield invalid(
      path.child('serviceAccountTokenInSecrets'),
      spec.serviceAccountTokenInSecrets,
      'serviceAccountTokenInSecrets is set but no tokenRequests are specified',
    );
}

function* checkTokenRequests(requests: readonly TokenRequest[]): Check {
  const audiences = new Set<string>();
  for (const [index, { audience, expirationSeconds: seconds }] of requests.entries()) {
    const at = path.child('tokenRequests').index(index);
    if (audiences.has(audience)) {
      yield duplicate(at.child('audience'), audience);
      continue;
    }
    audiences.add(audience);
    if (seconds === undefined) continue;
    if (seconds < 600)
      yield invalid(at.child('expirationSeconds'), seconds, 'may not specify a duration less than 10 minutes');
    if (seconds > 2 ** 32)
      yield invalid(at.child('expirationSeconds'), seconds, 'may not specify a duration larger than 2^32 seconds');
  }
}
