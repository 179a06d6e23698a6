import type { Printer } from '@pintle/machinery/rules';
import type {
  HorizontalPodAutoscaler,
  MetricSpec,
  MetricStatus,
  MetricTarget,
  MetricValueStatus,
} from '../../../generated/autoscaling/v2.ts';
import type { Quantity } from '../../../generated/meta/v1.ts';
import { age, ageColumn, column, nameColumn, nameOf } from '../../common/printers.ts';
import { formatQuantityValue } from '../../common/quantities.ts';

const shownMetrics = 2;
const unknown = '<unknown>';

export const autoscalerPrinter: Printer<HorizontalPodAutoscaler> = {
  columns: [
    nameColumn,
    column('Reference'),
    column('Targets'),
    column('MinPods'),
    column('MaxPods'),
    column('Replicas'),
    ageColumn,
  ],
  row: (autoscaler, context) => {
    const { spec, status } = autoscaler;
    return [
      nameOf(autoscaler),
      `${spec?.scaleTargetRef.kind ?? ''}/${spec?.scaleTargetRef.name ?? ''}`,
      formatMetrics(spec?.metrics ?? [], status?.currentMetrics ?? []),
      String(spec?.minReplicas ?? '<unset>'),
      spec?.maxReplicas ?? 0,
      status?.currentReplicas ?? 0,
      age(autoscaler, context),
    ];
  },
};

function formatMetrics(metrics: readonly MetricSpec[], statuses: readonly MetricStatus[]): string {
  if (metrics.length === 0) return '<none>';
  const list = metrics.slice(0, shownMetrics).map((metric, index) => formatMetric(metric, statuses[index]));
  const more = metrics.length > shownMetrics ? ` + ${metrics.length - shownMetrics} more...` : '';
  return `${list.join(', ')}${more}`;
}

function formatMetric({ type, ...metric }: MetricSpec, status: MetricStatus | undefined): string {
  switch (type as string) {
    case 'External':
      return formatAmount(metric.external?.target, status?.external?.current);
    case 'Object':
      return formatAmount(metric.object?.target, status?.object?.current);
    case 'Pods':
      return `${shown(status?.pods?.current.averageValue)}/${shown(metric.pods?.target.averageValue)}`;
    case 'Resource':
      return `${metric.resource?.name}: ${formatUse(metric.resource?.target, status?.resource?.current)}`;
    case 'ContainerResource':
      return `${metric.containerResource?.name}: ${formatUse(metric.containerResource?.target, status?.containerResource?.current)}`;
    default:
      return '<unknown type>';
  }
}

function formatAmount(target: MetricTarget | undefined, current: MetricValueStatus | undefined): string {
  if (target?.averageValue !== undefined) return `${shown(current?.averageValue)}/${shown(target.averageValue)} (avg)`;
  return `${shown(current?.value)}/${shown(target?.value)}`;
}

function formatUse(target: MetricTarget | undefined, current: MetricValueStatus | undefined): string {
  if (target?.averageValue !== undefined) return `${shown(current?.averageValue)}/${shown(target.averageValue)}`;
  return `${percent(current?.averageUtilization, unknown)}/${percent(target?.averageUtilization, '<auto>')}`;
}

function shown(quantity: Quantity | undefined): string {
  return quantity === undefined ? unknown : formatQuantityValue(quantity);
}

function percent(value: number | undefined, absent: string): string {
  return value === undefined ? absent : `${value}%`;
}
