import { quote } from '../../errors/quote.ts';
import type { StatusCause } from '../../errors/status.ts';
import type { FieldSet } from '../set/field-set.ts';
import { formatPath } from '../set/path-element.ts';
import { compareTexts, type Managers } from './manager.ts';

/** Fields of another manager to which an apply would give another value. */
export interface FieldConflict {
  readonly manager: string;
  readonly operation: 'Apply' | 'Update';
  readonly apiVersion: string;
  readonly subresource: string;
  readonly fields: FieldSet;
}

/** Returns the conflicts by manager, in a fixed order. */
export function conflictsOf(contested: ReadonlyMap<string, FieldSet>, managers: Managers): FieldConflict[] {
  return [...contested]
    .sort(([left], [right]) => compareTexts(left, right))
    .map(([id, fields]) => {
      const { manager, operation, apiVersion, subresource } = managers.get(id)!;
      return { manager, operation, apiVersion, subresource, fields };
    });
}

/** Most fields that are listed; the message has the number of all. */
const MAX_LISTED = 1_000;

/**
 * Returns Kubernetes' message about conflicts, for `applyConflictError`:
 *
 *     Apply failed with 1 conflict: conflict with "kubectl" using v1: .data.a
 *
 *     Apply failed with 2 conflicts: conflicts with "helm":
 *     - .spec.replicas
 *     - .spec.template.spec.containers[name="main"].image
 */
export function describeConflicts(conflicts: readonly FieldConflict[]): {
  readonly message: string;
  readonly causes: StatusCause[];
} {
  const groups = conflicts.map((conflict) => ({ owner: describeOwner(conflict), paths: listed(conflict.fields) }));
  const count = conflicts.reduce((sum, { fields }) => sum + fields.size, 0);
  const causes = groups.flatMap(({ owner, paths }) =>
    paths.map((field) => ({ reason: 'FieldManagerConflict', message: `conflict with ${owner}`, field })),
  );
  if (count === 1) {
    const [{ message, field }] = causes as [(typeof causes)[number]];
    return { message: `Apply failed with 1 conflict: ${message}: ${field}`, causes };
  }
  const lines = groups.flatMap(({ owner, paths }) => [`conflicts with ${owner}:`, ...paths.map((path) => `- ${path}`)]);
  return { message: `Apply failed with ${count} conflicts: ${lines.join('\n')}`, causes };
}

function listed(fields: FieldSet): string[] {
  const texts: string[] = [];
  for (const path of fields.paths()) {
    if (texts.push(formatPath(path)) >= MAX_LISTED) break;
  }
  return texts;
}

/** Returns `"hpa" with subresource "scale" using apps/v1`; the version of an applier is omitted. */
function describeOwner({ manager, operation, apiVersion, subresource }: FieldConflict): string {
  const through = subresource === '' ? '' : ` with subresource ${quote(subresource)}`;
  return `${quote(manager)}${through}${operation === 'Update' ? ` using ${apiVersion}` : ''}`;
}
