import { type FieldError, FieldPath } from '@pintle/machinery/errors';
import type { ResourceRules } from '@pintle/machinery/rules';
import type { HorizontalPodAutoscaler as Version2 } from '../../../generated/autoscaling/v2.ts';
import { checkNonNegative } from '../../common/checks.ts';
import { dropAnnotations, keepAllButStatus, keepStatus } from '../../common/object-fields.ts';
import {
  type AnyAutoscaler,
  conditionsAnnotation,
  currentMetricsAnnotation,
  isVersion1,
  rewriteAnnotations,
  roundTripAnnotations,
  toVersion1,
  toVersion2,
} from './convert.ts';
import { defaultVersion1, defaultVersion2 } from './defaults.ts';
import { autoscalerPrinter } from './printer.ts';
import { validateSpec } from './validate.ts';

const statusPath = FieldPath.of('status');

/** Written for version 2; objects of version 1 are converted to it first. */
export const horizontalPodAutoscalerRules: ResourceRules<AnyAutoscaler> = {
  default(autoscaler) {
    if (!isVersion1(autoscaler)) {
      dropAnnotations(autoscaler.metadata, roundTripAnnotations);
      return defaultVersion2(autoscaler);
    }
    defaultVersion1(autoscaler);
    rewriteAnnotations(autoscaler);
  },
  prepareForCreate(autoscaler) {
    if (isVersion1(autoscaler)) {
      autoscaler.status = { currentReplicas: 0, desiredReplicas: 0 };
      dropAnnotations(autoscaler.metadata, [conditionsAnnotation, currentMetricsAnnotation]);
    } else autoscaler.status = { currentMetrics: null as never, desiredReplicas: 0 };
  },
  prepareForUpdate: throughVersion2(keepStatus),
  validate: (autoscaler) => validate(toVersion2(autoscaler), undefined),
  validateUpdate: (next, previous) => validate(toVersion2(next), toVersion2(previous)),
  subresources: {
    status: {
      prepareForUpdate: throughVersion2(keepAllButStatus),
      validateUpdate: ({ status }) => validateStatus(status),
    },
  },
  printer: {
    columns: autoscalerPrinter.columns,
    row: (autoscaler, context) => autoscalerPrinter.row(toVersion2(autoscaler), context),
  },
};

/**
 * Applies a change of version 2 also to objects of version 1. Their annotations hold parts of the spec and of the
 * status, so both are restored in version 2, whatever happened to the annotations.
 */
function throughVersion2(change: (next: Version2, previous: Version2) => void) {
  return (next: AnyAutoscaler, previous: AnyAutoscaler): void => {
    const changed = toVersion2(next);
    change(changed, toVersion2(previous));
    if (!isVersion1(next)) return;
    const { metadata, spec, status } = toVersion1(changed);
    Object.assign(next, { metadata, spec, status });
  };
}

function validate(next: Version2, previous: Version2 | undefined): FieldError[] {
  return next.spec === undefined ? [] : validateSpec(next.spec, previous?.spec);
}

function validateStatus(status: AnyAutoscaler['status']): FieldError[] {
  return [
    ...checkNonNegative(statusPath.child('currentReplicas'), status?.currentReplicas),
    ...checkNonNegative(statusPath.child('desiredReplicas'), status?.desiredReplicas),
  ];
}
