import type { HorizontalPodAutoscaler as Version1 } from '../../../generated/autoscaling/v1.ts';
import type { HorizontalPodAutoscaler, HPAScalingRules } from '../../../generated/autoscaling/v2.ts';
import { type AnyAutoscaler, metricsAnnotation, toVersion2 } from './convert.ts';

const cpuUtilization = 80;
const periodSeconds = 15;

export function defaultVersion1({ metadata, spec }: Version1): void {
  if (spec === undefined) return;
  spec.minReplicas ??= 1;
  if (metadata.annotations?.[metricsAnnotation] === undefined) spec.targetCPUUtilizationPercentage ??= cpuUtilization;
}

export function defaultVersion2({ spec }: HorizontalPodAutoscaler): void {
  if (spec === undefined) return;
  spec.minReplicas ??= 1;
  if ((spec.metrics ?? []).length === 0)
    spec.metrics = [
      {
        type: 'Resource',
        resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: cpuUtilization } },
      },
    ];
  if (spec.behavior === undefined) return;
  spec.behavior.scaleUp = { ...scaleUp(), ...spec.behavior.scaleUp };
  spec.behavior.scaleDown = { ...scaleDown(), ...spec.behavior.scaleDown };
}

/** Returns the autoscaler as it is stored. What an annotation of version 1 leaves out gets the defaults of version 2. */
export function toStoredAutoscaler(autoscaler: AnyAutoscaler): HorizontalPodAutoscaler {
  const stored = toVersion2(autoscaler);
  if (stored.spec?.behavior !== undefined) defaultVersion2(stored);
  return stored;
}

/** Scales up at once, by four Pods or by 100 percent, whichever is more. */
function scaleUp(): HPAScalingRules {
  return {
    stabilizationWindowSeconds: 0,
    selectPolicy: 'Max',
    policies: [
      { type: 'Pods', value: 4, periodSeconds },
      { type: 'Percent', value: 100, periodSeconds },
    ],
  };
}

function scaleDown(): HPAScalingRules {
  return { selectPolicy: 'Max', policies: [{ type: 'Percent', value: 100, periodSeconds }] };
}
