import type { FieldError } from '@pintle/machinery/errors';
import { invalid } from '@pintle/machinery/errors';

/** Ordered from least to most restrictive. */
export const LEVELS = ['privileged', 'baseline', 'restricted'] as const;
export type Level = (typeof LEVELS)[number];

/** A level in one version of Kubernetes. */
export interface Standard {
  readonly level: Level;
  /** Minor version of Kubernetes 1.x; Infinity for `latest`. */
  readonly minor: number;
}

/** The standards of a namespace, by what happens to pods that violate them. */
export interface Policy {
  readonly enforce: Standard;
  readonly audit: Standard;
  readonly warn: Standard;
}

const PREFIX = 'pod-security.kubernetes.io/';
const PRIVILEGED: Standard = { level: 'privileged', minor: Number.POSITIVE_INFINITY };

/** `restricted:v1.18` */
export function describeStandard({ level, minor }: Standard): string {
  return `${level}:${minor === Number.POSITIVE_INFINITY ? 'latest' : `v1.${minor}`}`;
}

/** Negative when `a` is less restrictive than `b`. */
export function compareLevels(a: Level, b: Level): number {
  return LEVELS.indexOf(a) - LEVELS.indexOf(b);
}

/**
 * Returns the policy in the labels of a namespace, and their errors. An unknown level enforces the strictest and warns
 * of nothing. Without a label for warnings, the enforced level is also warned of, for templates.
 */
export function policyOf(labels: Readonly<Record<string, string>> = {}): {
  readonly policy: Policy;
  readonly errors: readonly FieldError[];
} {
  const errors: FieldError[] = [];
  const level = (mode: string, unknown: Level): Level | undefined => {
    const text = labelOf(labels, mode);
    if (text === undefined) return undefined;
    const known = LEVELS.find((one) => one === text);
    if (known === undefined) errors.push(wrong(mode, text, `must be one of ${LEVELS.join(', ')}`));
    return known ?? unknown;
  };
  const minor = (mode: string): number | undefined => {
    const text = labelOf(labels, `${mode}-version`);
    if (text === undefined || text === 'latest') return text && PRIVILEGED.minor;
    const parsed = /^v1\.(0|[1-9][0-9]{0,17})$/.exec(text);
    if (parsed === null) errors.push(wrong(`${mode}-version`, text, 'must be "latest" or "v1.x"'));
    return parsed === null ? PRIVILEGED.minor : Number(parsed[1]);
  };
  const standard = (mode: string, unknown: Level): Partial<Standard> => {
    const named = level(mode, unknown);
    const version = minor(mode);
    return { ...(named !== undefined && { level: named }), ...(version !== undefined && { minor: version }) };
  };
  const enforce = { ...PRIVILEGED, ...standard('enforce', 'restricted') };
  const isEnforceKnown = errors.every(({ field }) => field !== fieldOf('enforce'));
  const audit = { ...PRIVILEGED, ...standard('audit', 'privileged') };
  const warn = standard('warn', 'privileged');
  const implied = warn.level === undefined && isEnforceKnown && enforce.level !== 'privileged' ? enforce : PRIVILEGED;
  return { policy: { enforce, audit, warn: { ...implied, ...warn } }, errors };
}

function labelOf(labels: Readonly<Record<string, string>>, name: string): string | undefined {
  return Object.hasOwn(labels, PREFIX + name) ? labels[PREFIX + name] : undefined;
}

function wrong(name: string, value: string, detail: string): FieldError {
  return invalid(fieldOf(name), value, detail);
}

function fieldOf(name: string): string {
  return `metadata.labels[${PREFIX}${name}]`;
}
