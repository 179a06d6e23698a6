export {
  mirrorAnnotation,
  validatePodAnnotations,
  validatePodAnnotationsUpdate,
  validateProfilesAgree,
} from './annotations.ts';
export {
  complaints,
  eachItem,
  immutable,
  isEmpty,
  nonNegative,
  nonNegativeFields,
  oneOf,
  optionalMatching,
  positive,
  requiredMatching,
  requiredText,
  shownMap,
  sortedEntries,
  supportedValue,
} from './checks.ts';
export { validateClaimSpec } from './claim-spec.ts';
export { validateImageSpelling } from './containers.ts';
export type { PodSpecContext } from './context.ts';
export { isBrokenSelector, isEmptySelector, type MaybeSelector, shownSelector } from './label-selectors.ts';
export { validatePodSpec } from './pod-spec.ts';
export { validatePodTemplate } from './template.ts';
export { validateTolerationsUpdate } from './tolerations.ts';
