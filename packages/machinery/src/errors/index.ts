export type { FieldError, FieldErrorReason } from './field-error.ts';
export {
  describeFieldError,
  duplicate,
  forbidden,
  internal,
  invalid,
  notFound,
  notSupported,
  required,
  tooLong,
  tooMany,
  typeInvalid,
} from './field-error.ts';
export { FieldPath } from './field-path.ts';
