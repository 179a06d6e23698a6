import { describe, expect, test } from 'vitest';
import { checkSelectors, selectorProblems } from './review-selectors.ts';

const check = (attributes: Parameters<typeof checkSelectors>[0]) =>
  checkSelectors(attributes).map(({ field, reason }) => `${reason} ${field}`);
const PATH = 'spec.resourceAttributes';

describe('The selectors of a question', () => {
  test('say one thing, in one of two forms', () => {
    expect(check({ fieldSelector: {}, labelSelector: {} })).toEqual([
      `FieldValueRequired ${PATH}.fieldSelector.requirements`,
      `FieldValueRequired ${PATH}.labelSelector.requirements`,
    ]);
    const both = { rawSelector: 'a=b', requirements: [{ key: 'a', operator: 'In', values: ['b'] }] };
    expect(check({ labelSelector: both })).toEqual([`FieldValueInvalid ${PATH}.labelSelector.rawSelector`]);
  });

  test('are checked as selectors are', () => {
    const requirements = [
      { key: '', operator: 'In' },
      { key: 'a', operator: 'Exists', values: ['b'] },
    ];
    const at = `${PATH}.fieldSelector.requirements`;
    expect(check({ fieldSelector: { requirements } })).toEqual([
      `FieldValueRequired ${at}[0].key`,
      `FieldValueRequired ${at}[0].values`,
      `FieldValueForbidden ${at}[1].values`,
    ]);
  });

  test('may be of a newer kind, and are then left out, which is said', () => {
    const requirements = [{ key: 'a', operator: 'Gt', values: ['1'] }];
    expect(check({ labelSelector: { requirements } })).toEqual([]);
    expect(selectorProblems({ labelSelector: { requirements } })).toBe(
      'spec.resourceAttributes.labelSelector ignored due to parse error',
    );
    const some = [...requirements, { key: 'b', operator: 'Exists' }];
    expect(selectorProblems({ fieldSelector: { rawSelector: '!!' }, labelSelector: { requirements: some } })).toBe(
      'spec.resourceAttributes.fieldSelector ignored due to parse error; spec.resourceAttributes.labelSelector partially ignored due to parse error',
    );
    expect(selectorProblems({ fieldSelector: { rawSelector: 'metadata.name=a' } })).toBe('');
  });
});
