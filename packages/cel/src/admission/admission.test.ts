import { describe, expect, test } from 'vitest';
import {
  authorizerValue,
  type CelObject,
  compileExpression,
  dynamicValue,
  type Environment,
  PolicyVariables,
  policyEnvironment,
  requestResourceValue,
  valueToJson,
} from '../index.ts';
import { STRING } from '../types/type.ts';
import type { Value } from '../values/value.ts';

function evaluate(source: string, environment: Environment, variables: Readonly<Record<string, Value>>): Value {
  const compiled = compileExpression(source, environment);
  if (!('program' in compiled)) throw new Error(compiled.error);
  return compiled.program.evaluate(variables).value;
}

const pod = dynamicValue({
  metadata: { name: 'web', labels: { app: 'a' } },
  spec: { replicas: 3, ratio: 1.5, ports: [80, 443] },
});

describe('the expressions of a policy', () => {
  test('see objects without a type', () => {
    const environment = policyEnvironment();
    const source =
      "object.spec.replicas > 2 && object.spec.ratio < 2.0 && object.spec.ports.all(p, p < 1000) && object.metadata.?labels.app.orValue('') == 'a'";
    expect(evaluate(source, environment, { object: pod })).toBe(true);
    expect(evaluate('oldObject == null', environment, { oldObject: null })).toBe(true);
  });

  test('see the request by its type', () => {
    const request = dynamicValue({
      operation: 'CREATE',
      kind: { group: '', version: 'v1', kind: 'Pod' },
      userInfo: { username: 'me', groups: ['g'] },
    });
    const environment = policyEnvironment();
    expect(evaluate("request.operation == 'CREATE' && 'g' in request.userInfo.groups", environment, { request })).toBe(
      true,
    );
    expect(compileExpression('request.nonsense', environment)).toMatchObject({
      error: expect.stringContaining("undefined field 'nonsense'"),
    });
    expect('program' in compileExpression('request.kind == request.requestKind', environment)).toBe(true);
  });

  test.each(['params.x', 'variables.x', 'namespaceObject.metadata.name', "authorizer.path('/')", 'Object{}'])(
    'do not see %s unless it is offered',
    (source) => {
      expect(compileExpression(source, policyEnvironment())).toMatchObject({
        error: expect.stringContaining('undeclared reference'),
      });
    },
  );

  test('ask the authorizer', () => {
    const asked: unknown[] = [];
    const ask = (question: object) => {
      asked.push(question);
      return { isAllowed: true, reason: 'because' };
    };
    const environment = policyEnvironment({ hasAuthorizer: true });
    const variables = {
      authorizer: authorizerValue(ask),
      'authorizer.requestResource': requestResourceValue(ask, { resource: 'pods' }),
    };
    const source =
      "authorizer.serviceAccount('ns', 'sa').group('apps').resource('deployments').subresource('scale').namespace('ns').name('n').check('update').allowed()";
    expect(evaluate(source, environment, variables)).toBe(true);
    expect(evaluate("authorizer.requestResource.check('get').reason()", environment, variables)).toBe('because');
    expect(evaluate("authorizer.path('/healthz').check('get').errored()", environment, variables)).toBe(false);
    for (const [nonsense, message] of [
      ["path('')", 'path must not be empty'],
      ["group('').resource(' ')", 'resource must not be empty'],
      ["serviceAccount('ns', 'Bad_')", 'Invalid service account name'],
      ["serviceAccount('Bad_', 'sa')", 'Invalid service account namespace'],
    ])
      expect(evaluate(`authorizer.${nonsense}`, environment, variables)).toMatchObject({ message });
    expect(asked).toEqual([
      {
        serviceAccount: { namespace: 'ns', name: 'sa' },
        group: 'apps',
        resource: 'deployments',
        subresource: 'scale',
        namespace: 'ns',
        name: 'n',
        verb: 'update',
      },
      { resource: 'pods', verb: 'get' },
      { path: '/healthz', verb: 'get' },
    ]);
  });

  test('have variables that are evaluated once, when they are needed', () => {
    let evaluations = 0;
    const evaluateName = () => {
      evaluations++;
      return { value: 'web', cost: 3, isExceeded: false };
    };
    const names = new Map([
      ['name', STRING],
      ['unused', STRING],
    ]);
    const variables = new PolicyVariables(names, evaluateName);
    const environment = policyEnvironment({ variables: new Map([['name', STRING]]) });
    expect(evaluate("variables.name == 'web' && variables.name.size() == 3", environment, { variables })).toBe(true);
    expect(evaluations).toBe(1);
    expect(compileExpression('variables.later', environment)).toMatchObject({
      error: expect.stringContaining("undefined field 'later'"),
    });
  });
});

describe('mutations', () => {
  const environment = policyEnvironment({ canMutate: true });

  test('make objects', () => {
    const made = evaluate(
      "Object{metadata: Object.metadata{labels: {'a': object.metadata.name}}, spec: Object.spec{?replicas: optional.of(3), ?x: optional.none()}}",
      environment,
      { object: pod },
    );
    expect((made as CelObject).checkFieldTypes()).toBeUndefined();
    expect(valueToJson(made)).toEqual({ metadata: { labels: { a: 'web' } }, spec: { replicas: 3 } });
  });

  test('objects of the wrong type for their place are found', () => {
    const made = evaluate('Object{spec: Object.status{}}', environment, {});
    expect((made as CelObject).checkFieldTypes()?.message).toBe(
      'unexpected type name "Object.status", expected "Object.spec", which matches field name path from root Object type',
    );
  });

  test('items of lists are of the type of the field that holds them', () => {
    const made = evaluate('Object{a: [Object.a.item{}], b: {"k": Object.c{}}}', environment, {});
    expect((made as CelObject).checkFieldTypes()?.message.split('\n')).toEqual([
      'unexpected type name "Object.a.item", expected "Object.a", which matches field name path from root Object type',
      'unexpected type name "Object.c", expected "Object.b", which matches field name path from root Object type',
    ]);
  });

  test.each([
    ['optional.none()', 'optional.none() dereference'],
    ["{'a': optional.none()}", 'optional.none() dereference'],
    ['type(1)', "type conversion not supported for 'type'"],
    ["quantity('1')", "type conversion error from 'Quantity' to '*structpb.Value'"],
    ["ip('1.1.1.1')", "type conversion error from 'IP' to '*structpb.Value'"],
    ["{1: 'x'}", "unsupported type conversion from 'int' to string"],
    ["{true: 'x'}", "type conversion error from bool to 'string'"],
  ])('what has no form in JSON is an error: %s', (source, message) => {
    const patch = evaluate(`[JSONPatch{op: 'add', path: '/x', value: ${source}}]`, environment, {});
    expect(valueToJson(patch)).toMatchObject({ message });
  });

  test('inside of an object that is made, what is not there is null and a type is its name', () => {
    const made = evaluate("Object{a: {'b': optional.none()}, c: type(1), d: optional.of(1)}", environment, {});
    expect(valueToJson(made)).toEqual({ a: { b: null }, c: 'int', d: 1 });
  });

  test('make patches', () => {
    const source =
      "[JSONPatch{op: 'add', path: '/metadata/labels/' + jsonpatch.escapeKey('a/b~c'), value: object.spec.ports}]";
    expect(valueToJson(evaluate(source, environment, { object: pod }))).toEqual([
      { op: 'add', path: '/metadata/labels/a~1b~0c', value: [80, 443] },
    ]);
    expect(compileExpression("JSONPatch{op: 1, path: ''}", environment)).toMatchObject({
      error: expect.stringContaining("expected type of field 'op' is 'string' but provided type is 'int'"),
    });
  });
});
