import type { KubernetesObject, ResourceType } from '@pintle/machinery';
import type { Manager } from '@pintle/operator';
import { claimChildren } from './claim-children.ts';
import { filterInTurns } from './filter-in-turns.ts';
import { byController, type Selecting } from './owners.ts';
import { EVERYTHING, selectorOf } from './selectors.ts';

/** Children of owners that select them by labels. Uses an index, so children of other owners are not visited. */
interface ClaimedChildren<O extends Selecting, C extends KubernetesObject> {
  /** Adopts and releases objects, and returns the children of the owner. */
  claim(owner: O): Promise<C[]>;
  /** Returns the current children of the owner. */
  list(owner: O): Promise<C[]>;
}

export function claimedChildren<O extends Selecting, C extends KubernetesObject>(
  manager: Manager,
  ownerType: ResourceType<O>,
  childType: ResourceType<C>,
  isWanted: (child: C, owner: O) => boolean = () => true,
): ClaimedChildren<O, C> {
  const children = byController(manager, childType);
  return {
    async claim(owner) {
      const candidates = [
        ...(await children.controlledBy(owner)),
        ...(await children.orphans(owner.metadata.namespace ?? '')),
      ];
      const selector = selectorOf(owner.spec?.selector ?? EVERYTHING);
      return await claimChildren({
        client: manager.client,
        ownerType,
        owner,
        childType,
        candidates,
        matches: (labels) => selector.matches(labels),
        isWanted: (child) => isWanted(child, owner),
      });
    },
    async list(owner) {
      const selector = selectorOf(owner.spec?.selector ?? EVERYTHING);
      return await filterInTurns(
        manager.clock,
        await children.controlledBy(owner),
        (child) => selector.matches(child.metadata.labels ?? {}) && isWanted(child, owner),
      );
    },
  };
}
