/** Where version 1 keeps what it has no fields for. */
export const metricsAnnotation = 'autoscaling.alpha.kubernetes.io/metrics';
export const currentMetricsAnnotation = 'autoscaling.alpha.kubernetes.io/current-metrics';
export const behaviorAnnotation = 'autoscaling.alpha.kubernetes.io/behavior';
export const conditionsAnnotation = 'autoscaling.alpha.kubernetes.io/conditions';

export const roundTripAnnotations = [
  metricsAnnotation,
  currentMetricsAnnotation,
  behaviorAnnotation,
  conditionsAnnotation,
];
