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

/** A request that a fault is put in the way of. */
export interface Exchange {
  readonly request: TransportRequest;
  readonly facts: RequestFacts;
  /** Passes the request on, or another in its place, and gives the server's answer. */
  next(request?: TransportRequest): Promise<TransportResponse>;
  /** By the plane's clock. */
  sleep(ms: number): Promise<void>;
  /** Waits for something that only comes when the plane is still otherwise. */
  wait(until: Promise<void>): Promise<void>;
  /** Of the process that sends it, where it is one of an operator. */
  readonly standstill?: Standstill | undefined;
}

/** What happens to a request in the place of what should. Write your own, or take one of those below. */
export interface Fault {
  /** As the request log tells it. */
  readonly name: string;
  apply(exchange: Exchange): Promise<TransportResponse>;
}

/** The server refuses, and nothing has happened. */
export function refuse(error: StatusError): Fault {
  return { name: `refused ${error.code}`, apply: async () => answerOf(error) };
}

/** The server answers with an error although it has done what it was asked. */
export function failAfterEffect(error: StatusError = internalError('it was done all the same')): Fault {
  return {
    name: `done, answered ${error.code}`,
    apply: async ({ next }) => {
      await next();
      return answerOf(error);
    },
  };
}

/** 409: somebody else wrote first. */
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

/** 410: the place in history that was asked for is no longer kept. */
export function expired(): Fault {
  return { ...refuse(expiredError('The provided resource version is too old')), name: 'expired' };
}

/** 429: come back later. */
export function tooManyRequests({ retryAfterSeconds = 1 }: { readonly retryAfterSeconds?: number } = {}): Fault {
  const error = tooManyRequestsError('Too many requests, please try again later.', { retryAfterSeconds });
  return {
    name: 'too many requests',
    apply: async () => ({ ...answerOf(error), headers: { ...JSON_TYPE, 'retry-after': `${retryAfterSeconds}` } }),
  };
}

/** 500, and nothing has happened. */
export function serverError(): Fault {
  return refuse(internalError('an error was injected'));
}

/** 503, and nothing has happened. */
export function unavailable(): Fault {
  return refuse(serviceUnavailableError('the server is currently unable to handle the request'));
}

/** 504: the server took too long. `hasEffect`: it did it, though. */
export function timeout({ hasEffect = false }: { readonly hasEffect?: boolean } = {}): Fault {
  const error = timeoutError('request did not complete within the requested timeout');
  return hasEffect ? failAfterEffect(error) : refuse(error);
}

/** There is no connection: the server has not heard of it. */
export function unreachable(): Fault {
  return {
    name: 'unreachable',
    apply: async () => {
      throw await lost(false);
    },
  };
}

/** The server did what it was asked, and its answer was lost on the way. */
export function loseAnswer(): Fault {
  return {
    name: 'answer lost',
    apply: async ({ next }) => {
      await next();
      throw await lost(true);
    },
  };
}

/** The request arrives late, by the plane's clock; then comes what follows. */
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

/** Whoever sends a request has loaded the client; whoever only names a fault need not. */
async function lost(isSent: boolean): Promise<ClientError> {
  const { ClientError } = await import('@pintle/client');
  const cause = new Error('a fault was injected');
  return new ClientError({ code: 'Unreachable', server: 'the server', isSent }, { cause });
}
