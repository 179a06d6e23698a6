import type { HorizontalPodAutoscaler as Version1 } from '../../../generated/autoscaling/v1.ts';
import type { HorizontalPodAutoscaler, HPAScalingRules } from '../../../generated/autoscaling/v2.ts';
import { metricsAnnotation } from './convert.ts';

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
