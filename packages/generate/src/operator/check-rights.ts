import { GenerateError } from '../errors.ts';
import { describeUse, OBSERVED_FILE } from '../roles/observed-use.ts';
import type { RoleUse } from '../roles/rules.ts';
import type { OperatorFacts } from './load-operator.ts';
import { operatorRoles } from './operator-roles.ts';

/**
 * Throws UnknownUse with the calls whose rights nobody can tell: a role without them would be too narrow. Tells
 * `onNote` of rights that are allowed and perhaps not needed.
 */
export function checkRights(
  facts: OperatorFacts,
  { namespaced }: { readonly namespaced: boolean },
  onNote?: (text: string) => void,
): void {
  const { unknown, unused, onlySeen } = operatorRoles(facts, { namespaced });
  const { handed } = facts.sources;
  if (unknown.length > 0) throw new GenerateError({ code: 'UnknownUse', uses: unknown });
  if (onlySeen.length > 0)
    onNote?.(
      `Allowed because ${OBSERVED_FILE} has it, and neither declared nor in the sources: ${listOf(onlySeen)}. ` +
        `When it is no longer used, \`pintle observe --replace\` forgets it`,
    );
  if (handed.length > 0 && facts.observed.length === 0 && facts.declared.length === 0) {
    const places = handed.map(({ file, line, call, package: name }) => `${file}:${line} ${call} of ${name}`);
    onNote?.(
      `Other packages are handed a client, and what they do with it is not in these sources: ${places.join(', ')}. ` +
        'Run `pintle observe -- npm test`, or declare it with manager.declare',
    );
  }
  if (unused.length > 0) onNote?.(`Declared, and neither used in the sources nor seen in use: ${listOf(unused)}`);
}

function listOf(uses: readonly RoleUse[]): string {
  return uses.map(describeUse).join(', ');
}
