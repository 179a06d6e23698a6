import type { LabelRequirement, Labels } from './label-requirement.ts';
import { compileRequirements, formatRequirement } from './label-requirement.ts';

/** Selects objects by their labels. Immutable, and compiled once. */
export class CompiledLabelSelector {
  /** Sorted by key; requirements with the same key keep their order. */
  readonly requirements: readonly LabelRequirement[];
  readonly #check: (labels: Labels) => boolean;

  /** The caller guarantees that the requirements are valid, as `parseLabelSelector` and `compileLabelSelector` do. */
  constructor(requirements: readonly LabelRequirement[]) {
    this.requirements = requirements.toSorted((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0));
    this.#check = compileRequirements(this.requirements);
  }

  /** True when there are no requirements: every object matches. */
  get isEmpty(): boolean {
    return this.requirements.length === 0;
  }

  matches(labels: Labels | null | undefined): boolean {
    return this.#check(labels ?? noLabels);
  }

  /** Returns the one value that this selector requires of `key`, if any, for looking up in an index. */
  exactValue(key: string): string | undefined {
    const requirement = this.requirements.find((candidate) => candidate.key === key);
    if (requirement === undefined || requirement.values.length !== 1) return undefined;
    return ['=', '==', 'in'].includes(requirement.operator) ? requirement.values[0] : undefined;
  }

  /** Returns the text that `parseLabelSelector` reads back to the same selector. */
  toString(): string {
    return this.requirements.map(formatRequirement).join(',');
  }
}

const noLabels: Labels = {};

class NoObjects extends CompiledLabelSelector {
  override get isEmpty(): boolean {
    return false;
  }

  override matches(): boolean {
    return false;
  }
}

export const everyLabelSelector: CompiledLabelSelector = new CompiledLabelSelector([]);

/** Matches no object, as an absent selector does in most places of the API. It has no text form. */
export const noLabelSelector: CompiledLabelSelector = new NoObjects([]);
