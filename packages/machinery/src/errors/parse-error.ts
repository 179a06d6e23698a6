export type ParseSubject =
  | 'label selector'
  | 'field selector'
  | 'quantity'
  | 'IntOrString'
  | 'duration'
  | 'time'
  | 'JSONPath';

/** Text from outside could not be read. The message is Kubernetes' own where Kubernetes has one. */
export class ParseError extends Error {
  override readonly name = 'ParseError';
  /** What the text should have been. */
  readonly subject: ParseSubject;

  constructor(subject: ParseSubject, message: string) {
    super(message);
    this.subject = subject;
  }
}
