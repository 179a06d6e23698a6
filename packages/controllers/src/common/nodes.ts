import type { Node, Taint, Toleration } from '@pintle/kinds/core/v1';

/** True when the node's Ready condition is True. */
export function isNodeReady({ status }: Node): boolean {
  return status?.conditions?.find(({ type }) => type === 'Ready')?.status === 'True';
}

type Effect = Taint['effect'];

/** Returns the first taint with one of these effects that no toleration tolerates. */
export function untoleratedTaint(
  taints: readonly Taint[] | undefined,
  tolerations: readonly Toleration[] | undefined,
  effects: readonly Effect[],
): Taint | undefined {
  return taints?.find(
    (taint) => effects.includes(taint.effect) && !tolerations?.some((toleration) => tolerates(toleration, taint)),
  );
}

export function tolerates({ key = '', effect, operator, value = '' }: Toleration, taint: Taint): boolean {
  if (effect && effect !== taint.effect) return false;
  if (key !== '' && key !== taint.key) return false;
  switch (operator) {
    case 'Exists':
      return true;
    case 'Gt':
    case 'Lt':
      return compares(operator, taint.value ?? '', value);
    default:
      return key !== '' && value === (taint.value ?? '');
  }
}

function compares(operator: 'Gt' | 'Lt', tainted: string, tolerated: string): boolean {
  if (!isInteger(tainted) || !isInteger(tolerated)) return false;
  return operator === 'Gt' ? BigInt(tainted) > BigInt(tolerated) : BigInt(tainted) < BigInt(tolerated);
}

function isInteger(text: string): boolean {
  return /^-?\d{1,19}$/.test(text);
}
