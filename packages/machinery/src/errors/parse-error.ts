export type ParseSubject =
  | 'label selector'
  | 'field selector'
  | 'quantity'
  | 'IntOrString'
  | 'duration'
  | 'time'
  | 'JSONPath';

/** Thrown for text that cannot be parsed. The message is Kubernetes' own where Kubernetes has one. */
export class ParseError extends Error {
  override readonly name = 'ParseError';
  /** The type that the text should have had. */
  readonly subject: ParseSubject;

  constructor(subject: ParseSubject, message: string) {
    super(message);
    this.subject = subject;
  }
}
