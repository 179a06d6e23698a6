export type {
  Condition,
  IntOrString,
  LabelSelector,
  LabelSelectorRequirement,
  MicroTime,
  Quantity,
  RawExtension,
  Status,
  Time,
} from './generated/meta/v1.ts';
