import type { ResourceRules } from '@pintle/machinery/rules';
import type { Pod } from '../../../generated/core/v1.ts';
import { keepStatus } from '../../common/object-fields.ts';
import { dropDisabledPodFields } from '../../common/pod/disabled-fields.ts';
import { hostnameWarnings, podWarnings } from '../../common/pod/warnings/warnings.ts';
import { preparePod } from './create.ts';
import { defaultPod } from './defaults.ts';
import { ephemeralContainersRules } from './ephemeral-containers.ts';
import { podPrinter } from './printer.ts';
import { resizeRules } from './resize.ts';
import { statusRules } from './status.ts';
import { validatePodUpdate } from './update.ts';
import { validateNewPod } from './validate.ts';

export const podRules: ResourceRules<Pod> = {
  metadataChecks: ['update', 'create'],
  tracksGeneration: true,
  returnsDeletedObject: true,
  default: defaultPod,
  prepareForCreate: preparePod,
  prepareForUpdate(next, previous) {
    keepStatus(next, previous);
    dropDisabledPodFields(next.spec);
  },
  validate: validateNewPod,
  validateUpdate: validatePodUpdate,
  /** Warns at creation only: programs update Pods often. */
  warnings(next, previous) {
    if (previous !== undefined || next.spec === undefined) return [];
    return [...hostnameWarnings(next.metadata.name, "the Pod's hostname"), ...podWarnings(next.spec, next.metadata)];
  },
  graceSeconds,
  subresources: { status: statusRules, ephemeralcontainers: ephemeralContainersRules, resize: resizeRules },
  selectableFields,
  printer: podPrinter,
};

/** A Pod that is not scheduled, or has ended, is removed at once. */
function graceSeconds({ spec, status }: Pod, requestedSeconds: number | undefined): number {
  if (!spec?.nodeName || status?.phase === 'Failed' || status?.phase === 'Succeeded') return 0;
  const seconds = requestedSeconds ?? spec.terminationGracePeriodSeconds ?? 0;
  return seconds < 0 ? 1 : seconds;
}

function selectableFields({ spec, status }: Pod): Record<string, string> {
  return {
    'spec.nodeName': spec?.nodeName ?? '',
    'spec.host': spec?.nodeName ?? '',
    'spec.restartPolicy': spec?.restartPolicy ?? '',
    'spec.schedulerName': spec?.schedulerName ?? '',
    'spec.serviceAccountName': spec?.serviceAccountName ?? '',
    'spec.hostNetwork': String(spec?.hostNetwork ?? false),
    'status.phase': status?.phase ?? '',
    'status.podIP': status?.podIPs?.[0]?.ip ?? '',
    // Can be selected by, but is always empty.
    'status.podIPs': '',
    'status.nominatedNodeName': status?.nominatedNodeName ?? '',
  };
}
