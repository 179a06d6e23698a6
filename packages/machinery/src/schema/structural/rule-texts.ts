import { type FieldError, type FieldPath, invalid, notSupported, required } from '../../errors/index.ts';
import { getOwn, isJsonObject, type JsonObject } from '../../json/index.ts';
import { followFieldPath } from './field-path.ts';
import { listAt, type SchemaAtPath, textAt } from './schema-json.ts';

/** Checks CEL rules as far as possible without compiling them. */
export function checkRuleTexts(schema: SchemaAtPath, errors: FieldError[]): void {
  const { json } = schema;
  const keyword = 'x-kubernetes-validations';
  listAt(json, keyword).forEach((rule, index) => {
    if (isJsonObject(rule)) checkRule(rule, json, schema.path.child(keyword).index(index), errors);
  });
}

const reasons = ['FieldValueDuplicate', 'FieldValueForbidden', 'FieldValueInvalid', 'FieldValueRequired'];

function checkRule(json: JsonObject, schema: JsonObject, path: FieldPath, errors: FieldError[]): void {
  checkRuleAndMessage(json, path, errors);
  if (isBlank(textAt(json, 'messageExpression'))) {
    errors.push(required(path.child('messageExpression'), 'messageExpression must be non-empty if specified'));
  }
  const reason = getOwn(json, 'reason');
  if (typeof reason === 'string' && !reasons.includes(reason)) {
    errors.push(notSupported(path.child('reason'), reason, reasons));
  }
  const fieldPath = textAt(json, 'fieldPath');
  if (isBlank(fieldPath)) errors.push(invalid(path.child('fieldPath'), fieldPath, 'must be non-empty if specified'));
  if (hasLineBreak(fieldPath)) errors.push(invalid(path.child('fieldPath'), fieldPath, 'must not contain line breaks'));
  if (fieldPath !== '' && 'problem' in followFieldPath(fieldPath, schema)) {
    errors.push(invalid(path.child('fieldPath'), fieldPath, 'must be a valid path'));
  }
}

function checkRuleAndMessage(json: JsonObject, path: FieldPath, errors: FieldError[]): void {
  const rule = textAt(json, 'rule').trim();
  const message = textAt(json, 'message');
  if (rule === '') errors.push(required(path.child('rule'), 'rule is not specified'));
  else if (isBlank(message)) errors.push(invalid(path.child('message'), message, 'must be non-empty if specified'));
  else if (hasLineBreak(message.trim())) {
    errors.push(invalid(path.child('message'), message, 'must not contain line breaks'));
  } else if (hasLineBreak(rule) && message === '') {
    errors.push(required(path.child('message'), 'message must be specified if rule contains line breaks'));
  }
}

/** True for a text of nothing but white space. */
function isBlank(text: string): boolean {
  return text !== '' && text.trim() === '';
}

function hasLineBreak(text: string): boolean {
  return text.includes('\n') || text.includes('\r');
}
