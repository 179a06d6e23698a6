import type { ClientError, TransportRequest, TransportResponse } from '@pintle/client';
import {
  conflictError,
  expiredError,
  internalError,
  type StatusError,
  serviceUnavailableError,
  timeoutError,
  tooManyRequestsError,
} from '@pintle/machinery/errors';
import { asJson, encodeJson } from '@pintle/machinery/json';
import type { Standstill } from '../clock/standstill.ts';
import { type Duration, toMs } from '../duration.ts';
import type { RequestFacts } from '../requests/request-facts.ts';

/** A request that a fault is applied to. */
export interface Exchange {
  readonly request: TransportRequest;
  readonly facts: RequestFacts;
  /** Sends the request, or another instead, and returns the server's response. */
  next(request?: TransportRequest): Promise<TransportResponse>;
  /** Sleeps by the plane's clock. */
  sleep(ms: number): Promise<void>;
  /** Waits for something that only happens once the plane has settled; this request does not count as busy meanwhile. */
  wait(until: Promise<void>): Promise<void>;
  /** Pauses the operator's process that sends the request; absent for other senders. */
  readonly standstill?: Standstill | undefined;
}

/** Something that goes wrong with a request. Use one of those below, or write another. */
export interface Fault {
  /** Shown in the request log. */
  readonly name: string;
  apply(exchange: Exchange): Promise<TransportResponse>;
}

/** The server refuses the request without effect. */
export function refuse(error: StatusError): Fault {
  return { name: `refused ${error.code}`, apply: async () => answerOf(error) };
}

/** The server responds with an error although the request took effect. */
export function failAfterEffect(error: StatusError = internalError('it was done all the same')): Fault {
  return {
    name: `done, answered ${error.code}`,
    apply: async ({ next }) => {
      await next();
      return answerOf(error);
    },
  };
}

/** 409: another client wrote first. */
export function conflict(): Fault {
  return {
    name: 'conflict',
    apply: async ({ facts: { group, resource, name } }) =>
      answerOf(
        conflictError(
          { group, resource },
          name,
          'the object has been modified; please apply your changes to the latest version and try again',
        ),
      ),
  };
}

/** 410: the requested resourceVersion is too old. */
export function expired(): Fault {
  return { ...refuse(expiredError('The provided resource version is too old')), name: 'expired' };
}

/** 429: retry later. */
export function tooManyRequests({ retryAfterSeconds = 1 }: { readonly retryAfterSeconds?: number } = {}): Fault {
  const error = tooManyRequestsError('Too many requests, please try again later.', { retryAfterSeconds });
  return {
    name: 'too many requests',
    apply: async () => ({ ...answerOf(error), headers: { ...JSON_TYPE, 'retry-after': `${retryAfterSeconds}` } }),
  };
}

/** 500, without effect. */
export function serverError(): Fault {
  return refuse(internalError('an error was injected'));
}

/** 503, without effect. */
export function unavailable(): Fault {
  return refuse(serviceUnavailableError('the server is currently unable to handle the request'));
}

/** 504: the server took too long. `hasEffect`: the request took effect all the same. */
export function timeout({ hasEffect = false }: { readonly hasEffect?: boolean } = {}): Fault {
  const error = timeoutError('request did not complete within the requested timeout');
  return hasEffect ? failAfterEffect(error) : refuse(error);
}

/** There is no connection: the request did not arrive. */
export function unreachable(): Fault {
  return {
    name: 'unreachable',
    apply: async () => {
      throw await lost(false);
    },
  };
}

/** The request took effect, and its response was lost. */
export function loseAnswer(): Fault {
  return {
    name: 'answer lost',
    apply: async ({ next }) => {
      await next();
      throw await lost(true);
    },
  };
}

/** The request arrives late, by the plane's clock; `then` is a fault to apply after that. */
export function delay(by: Duration, then?: Fault): Fault {
  const ms = toMs(by);
  return {
    name: then === undefined ? `delayed ${ms} ms` : `delayed ${ms} ms, ${then.name}`,
    apply: async (exchange) => {
      await exchange.sleep(ms);
      return await (then === undefined ? exchange.next() : then.apply(exchange));
    },
  };
}

const JSON_TYPE = { 'content-type': 'application/json' };

function answerOf(error: StatusError): TransportResponse {
  return { status: error.code, headers: JSON_TYPE, body: encodeJson(asJson(error.status)) };
}

/** Imports the client late: a module that only names faults need not load it. */
async function lost(isSent: boolean): Promise<ClientError> {
  const { ClientError } = await import('@pintle/client');
  const cause = new Error('a fault was injected');
  return new ClientError({ code: 'Unreachable', server: 'the server', isSent }, { cause });
}
