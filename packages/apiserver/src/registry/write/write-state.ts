import type { Eventual } from '@pintle/async';
import type { KubernetesObject } from '@pintle/machinery';
import type { FieldError } from '@pintle/machinery/errors';
import type { Finding } from '@pintle/machinery/rules';
import type { SentEmpty } from '@pintle/machinery/schema';
import type { Operation } from '@pintle/store';
import type { AdmissionRequest } from '../../resource/admission-request.ts';
import type { EndpointCall } from '../../resource/endpoint.ts';
import type { WriteOptions } from '../../resource/options.ts';
import type { Guard, StoredVersion } from '../../storage/object-store.ts';
import type { RestoredEmpties } from './sent-empties.ts';

/** The object that a request asks for. */
export interface DesiredObject {
  readonly object: KubernetesObject;
  /** The lists and maps that were sent empty. */
  readonly emptied: readonly SentEmpty[];
  /** The object says already who owns its fields. */
  readonly isTracked?: boolean;
  /** No value was changed, and none is to be: not even by defaults, which an object stored in another version may lack. */
  readonly isSame?: boolean;
}

/** How the body of a request changes an object. */
export interface Change {
  /** Makes the object that the request asks for of the one that is there. Asked again when that one moved meanwhile. */
  desired(current: KubernetesObject): Eventual<DesiredObject>;
  /** Makes the object where there is none. Absent, or `undefined`: the request does not create. */
  desiredNew?(): Eventual<DesiredObject | undefined>;
  /** Where another request creates the object meanwhile, this change is made to that one. */
  readonly followsCreation?: boolean;
}

/** A write on its way through the steps, which fill it in. */
export interface ObjectWrite {
  /** The request, with the resource it names, which may show a part of other objects as a Scale does. */
  readonly call: EndpointCall;
  /** The same request, with the resource whose objects are stored. */
  readonly stored: EndpointCall;
  readonly options: WriteOptions;
  readonly desired: DesiredObject;
  /** The object that is there; absent for a new one. */
  readonly current: StoredVersion | undefined;
  readonly admission: AdmissionRequest;
  /** The object as it will be stored. */
  next: KubernetesObject;
  /** Writes that take effect together with this one, or not at all. */
  claims: readonly Operation[];
}

export interface NewObject extends ObjectWrite {
  readonly current: undefined;
  /** Sent as new: it must not come from somewhere in history, and only a dry run gets past that. */
  readonly isPosted: boolean;
  /** Conditions on the namespace that must hold when the object is stored. */
  guards: readonly Guard[];
  isNameGenerated: boolean;
  attempts: number;
  findings: readonly FieldError[];
}

export interface ObjectChange extends ObjectWrite {
  readonly current: StoredVersion;
  /** Puts back the empty lists that are not stored: what is wrong with an object is told of it as it was sent. */
  restoreEmptyLists?: (() => void) | undefined;
  /** The object before, and `next`, with what was sent empty. */
  restored?: RestoredEmpties<KubernetesObject>;
  findings: readonly Finding[];
}
