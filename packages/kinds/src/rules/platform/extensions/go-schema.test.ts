import { expect, test } from 'vitest';
import { goSchema } from './go-schema.ts';

test('rules and references to documents are shown with all their fields, under the names they have in Go', () => {
  expect(
    goSchema({ externalDocs: { url: 'u' }, 'x-kubernetes-validations': [{ rule: 'r', reason: 'x' }] }),
  ).toMatchObject({
    ExternalDocs: { Description: '', URL: 'u' },
    XValidations: [
      { Rule: 'r', Message: '', MessageExpression: '', Reason: 'x', FieldPath: '', OptionalOldSelf: null },
    ],
  });
});
