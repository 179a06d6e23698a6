import type { LabelRequirement, Labels } from './label-requirement.ts';
import { compileRequirements, formatRequirement } from './label-requirement.ts';

/** Decides which objects are meant, by their labels. Immutable, and compiled once. */
export class CompiledLabelSelector {
  /** Ordered by key; requirements with the same key stay as they were written. */
  readonly requirements: readonly LabelRequirement[];
  readonly #check: (labels: Labels) => boolean;

  /** The requirements are valid; `parseLabelSelector` and `compileLabelSelector` see to that. */
  constructor(requirements: readonly LabelRequirement[]) {
    this.requirements = requirements.toSorted((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0));
    this.#check = compileRequirements(this.requirements);
  }

  /** Nothing is required: every object is meant. */
  get isEmpty(): boolean {
    return this.requirements.length === 0;
  }

  matches(labels: Labels | null | undefined): boolean {
    return this.#check(labels ?? noLabels);
  }

  /** The one value this selector lets `key` have, if it says so. For looking up in an index. */
  exactValue(key: string): string | undefined {
    const requirement = this.requirements.find((candidate) => candidate.key === key);
    if (requirement === undefined || requirement.values.length !== 1) return undefined;
    return ['=', '==', 'in'].includes(requirement.operator) ? requirement.values[0] : undefined;
  }

  /** What `parseLabelSelector` reads back to the same selector. */
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

/** What an absent selector means in most places of the API: no object at all. It has no text of its own. */
export const noLabelSelector: CompiledLabelSelector = new NoObjects([]);
