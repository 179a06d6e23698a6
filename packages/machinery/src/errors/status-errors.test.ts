import { describe, expect, test } from 'vitest';
import { invalid, MAX_FIELD_ERRORS, required } from './field-error.ts';
import { serverResponseError } from './server-response-error.ts';
import { isStatus } from './status.ts';
import type { StatusError } from './status-error.ts';
import { hasReason, isConflict, isExpired, isNotFound, statusErrorOf } from './status-error.ts';
import * as make from './status-errors.ts';

const pods = { group: '', resource: 'pods' };
const deployments = { group: 'apps', resource: 'deployments' };

describe('the constructors give what a real server answered', () => {
  const cases: [StatusError, { message: string; reason?: string; code: number; details?: object }][] = [
    [
      make.notFoundError(deployments, 'none'),
      {
        message: 'deployments.apps "none" not found',
        reason: 'NotFound',
        details: { name: 'none', group: 'apps', kind: 'deployments' },
        code: 404,
      },
    ],
    [
      make.alreadyExistsError(pods, 'x'),
      {
        message: 'pods "x" already exists',
        reason: 'AlreadyExists',
        details: { name: 'x', kind: 'pods' },
        code: 409,
      },
    ],
    [
      make.generateNameConflictError(pods, 'x-'),
      {
        message: 'pods "x-" already exists, the server was not able to generate a unique name for the object',
        reason: 'AlreadyExists',
        details: { name: 'x-', kind: 'pods', retryAfterSeconds: 1 },
        code: 409,
      },
    ],
    [
      make.conflictError(pods, 'x', 'the object has been modified'),
      {
        message: 'Operation cannot be fulfilled on pods "x": the object has been modified',
        reason: 'Conflict',
        details: { name: 'x', kind: 'pods' },
        code: 409,
      },
    ],
    [
      make.forbiddenError(pods, 'x', 'no'),
      { message: 'pods "x" is forbidden: no', reason: 'Forbidden', details: { name: 'x', kind: 'pods' }, code: 403 },
    ],
    [
      make.forbiddenError(pods, '', 'no'),
      { message: 'pods is forbidden: no', reason: 'Forbidden', details: { kind: 'pods' }, code: 403 },
    ],
    [
      make.forbiddenError(undefined, '', 'User "a" cannot get path "/"'),
      { message: 'forbidden: User "a" cannot get path "/"', reason: 'Forbidden', details: {}, code: 403 },
    ],
    [make.badRequestError('broken'), { message: 'broken', reason: 'BadRequest', code: 400 }],
    [make.unauthorizedError(), { message: 'Unauthorized', reason: 'Unauthorized', code: 401 }],
    [
      make.methodNotSupportedError(deployments, 'create'),
      {
        message: 'create is not supported on resources of kind "deployments.apps"',
        reason: 'MethodNotAllowed',
        details: { group: 'apps', kind: 'deployments' },
        code: 405,
      },
    ],
    [
      make.notAcceptableError(['application/json', 'application/yaml']),
      {
        message: 'only the following media types are accepted: application/json, application/yaml',
        reason: 'NotAcceptable',
        code: 406,
      },
    ],
    [
      make.unsupportedMediaTypeError(['application/json']),
      {
        message: 'the body of the request was in an unknown format - accepted media types include: application/json',
        reason: 'UnsupportedMediaType',
        code: 415,
      },
    ],
    [
      make.requestEntityTooLargeError('limit is 3145728'),
      { message: 'Request entity too large: limit is 3145728', reason: 'RequestEntityTooLarge', code: 413 },
    ],
    [make.goneError('gone'), { message: 'gone', reason: 'Gone', code: 410 }],
    [
      make.expiredError('too old resource version: 1 (2)'),
      { message: 'too old resource version: 1 (2)', reason: 'Expired', code: 410 },
    ],
    [
      make.tooManyRequestsError('slow down', { retryAfterSeconds: 10 }),
      { message: 'slow down', reason: 'TooManyRequests', details: { retryAfterSeconds: 10 }, code: 429 },
    ],
    [
      make.timeoutError('Too large resource version: 9, current: 3', {
        causes: [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }],
        retryAfterSeconds: 1,
      }),
      {
        message: 'Timeout: Too large resource version: 9, current: 3',
        reason: 'Timeout',
        details: {
          causes: [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }],
          retryAfterSeconds: 1,
        },
        code: 504,
      },
    ],
    [
      make.serverTimeoutError(pods, 'list', 2),
      {
        message: 'The list operation against pods could not be completed at this time, please try again.',
        reason: 'ServerTimeout',
        details: { name: 'list', kind: 'pods', retryAfterSeconds: 2 },
        code: 500,
      },
    ],
    [
      make.internalError('it broke'),
      {
        message: 'Internal error occurred: it broke',
        reason: 'InternalError',
        details: { causes: [{ message: 'it broke' }] },
        code: 500,
      },
    ],
    [make.serviceUnavailableError('later'), { message: 'later', reason: 'ServiceUnavailable', code: 503 }],
    [make.unclassifiedError(500, 'odd'), { message: 'odd', code: 500 }],
    [
      make.applyConflictError('Apply failed', [{ reason: 'FieldManagerConflict', message: 'm', field: '.a' }]),
      {
        message: 'Apply failed',
        reason: 'Conflict',
        details: { causes: [{ reason: 'FieldManagerConflict', message: 'm', field: '.a' }] },
        code: 409,
      },
    ],
  ];
  test.each(cases.map(([error, expected]) => [expected.message, error, expected] as const))(
    '%s',
    (_, error, expected) => {
      expect(error.status).toEqual({
        kind: 'Status',
        apiVersion: 'v1',
        metadata: {},
        status: 'Failure',
        ...expected,
      });
      expect(error.message).toBe(expected.message);
    },
  );
});

test('invalidError keeps every cause but writes each text once', () => {
  const immutable = invalid('metadata.uid', 'x', 'field is immutable');

  const error = make.invalidError({ group: '', kind: 'ConfigMap' }, 'one', [immutable, immutable]);

  expect(error.message).toBe('ConfigMap "one" is invalid: metadata.uid: Invalid value: "x": field is immutable');
  expect(error.causes).toEqual([
    { reason: 'FieldValueInvalid', message: 'Invalid value: "x": field is immutable', field: 'metadata.uid' },
    { reason: 'FieldValueInvalid', message: 'Invalid value: "x": field is immutable', field: 'metadata.uid' },
  ]);
});

test('invalidError puts several errors in brackets and names the kind with its group', () => {
  const errors = [required('spec.a'), required('spec.b', 'really')];

  const error = make.invalidError({ group: 'example.com', kind: 'Thing' }, 'x', errors);

  expect(error.message).toBe(
    'Thing.example.com "x" is invalid: [spec.a: Required value, spec.b: Required value: really]',
  );
  expect(error.status.details).toMatchObject({ name: 'x', group: 'example.com', kind: 'Thing' });
});

test('invalidError without errors says only that', () => {
  expect(make.invalidError({ group: '', kind: 'Pod' }, 'x', []).message).toBe('Pod "x" is invalid');
});

test('expiredError carries the token to go on with', () => {
  expect(make.expiredError('old', { continueToken: 'abc' }).status.metadata).toEqual({ continue: 'abc' });
});

test('predicates look through wrapped errors', () => {
  const wrapped = new Error('Cannot read', { cause: make.notFoundError(pods, 'x') });

  expect(isNotFound(wrapped)).toBe(true);
  expect(isConflict(wrapped)).toBe(false);
  expect(statusErrorOf(wrapped)?.code).toBe(404);
  expect(isNotFound(undefined)).toBe(false);
  expect(isNotFound('text')).toBe(false);
});

test('predicates end on errors that cause each other', () => {
  const a = new Error('a');
  const b = new Error('b', { cause: a });
  a.cause = b;

  expect(isNotFound(a)).toBe(false);
});

test('an answer without a known reason counts by its code', () => {
  expect(isNotFound(make.unclassifiedError(404, 'lost'))).toBe(true);
  expect(isConflict(make.unclassifiedError(409, 'conflict'))).toBe(true);
  expect(hasReason(make.unclassifiedError(409, 'conflict'), 'AlreadyExists')).toBe(false);
  expect(isExpired(make.unclassifiedError(410, 'gone'))).toBe(true);
  expect(isConflict(make.alreadyExistsError(pods, 'x'))).toBe(false);
});

describe('serverResponseError words an answer of which only the code is known', () => {
  const cases: [Parameters<typeof serverResponseError>[0], string, string][] = [
    [{ code: 404, method: 'GET' }, 'NotFound', 'the server could not find the requested resource'],
    [
      { code: 404, method: 'GET', resource: pods, name: 'x' },
      'NotFound',
      'the server could not find the requested resource (get pods x)',
    ],
    [
      { code: 405, method: 'PATCH', resource: deployments },
      'MethodNotAllowed',
      'the server does not allow this method on the requested resource (patch deployments.apps)',
    ],
    [{ code: 409, method: 'POST' }, 'AlreadyExists', 'the server reported a conflict'],
    [{ code: 409, method: 'PUT' }, 'Conflict', 'the server reported a conflict'],
    [
      { code: 502, method: 'GET', serverMessage: 'bad "gateway"' },
      'InternalError',
      'an error on the server ("bad \\"gateway\\"") has prevented the request from succeeding',
    ],
    [
      { code: 302, method: 'GET' },
      '',
      'the server responded with the status code 302 but did not return more information',
    ],
  ];
  test.each(cases)('%j', (response, reason, message) => {
    const error = serverResponseError(response);
    expect([error.code, error.reason, error.message]).toEqual([response.code, reason, message]);
  });

  test('an unexpected body is kept as a cause', () => {
    const error = serverResponseError({ code: 500, method: 'GET', serverMessage: '<html>', isUnexpected: true });
    expect(error.causes).toEqual([{ reason: 'UnexpectedServerResponse', message: '<html>' }]);
  });
});

test('isStatus tells a Status from other kinds', () => {
  expect(isStatus(make.badRequestError('x').status)).toBe(true);
  expect(isStatus({ kind: 'Pod', apiVersion: 'v1' })).toBe(false);
  expect(isStatus(null)).toBe(false);
});

describe('of very many errors only the first are told', () => {
  const told = (error: StatusError): number => error.status.details?.causes?.length ?? 0;
  const pod = { group: '', kind: 'Pod' };

  test('by their number', () => {
    const errors = Array.from({ length: 200_000 }, (_, i) => required(`spec.containers[${i}].name`));
    expect(told(make.invalidError(pod, 'a', errors))).toBe(MAX_FIELD_ERRORS);
  });

  test('by their length', () => {
    const long = invalid('spec', 'x'.repeat(60 * 1024), 'no');
    expect(told(make.invalidError(pod, 'a', Array(100).fill(long)))).toBe(17);
    const longer = invalid('spec', '\x7f'.repeat(9 * 1024 * 1024), 'no');
    expect(told(make.invalidError(pod, 'a', Array(100).fill(longer)))).toBe(3);
    const { message = '', details } = make.invalidError(pod, '\x7f'.repeat(3 * 1024 * 1024), [longer, longer]).status;
    expect(message.length).toBeLessThan(2 * 1024 * 1024);
    expect(details?.name?.length).toBeLessThan(65 * 1024);
  });
});
