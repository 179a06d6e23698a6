import type { Eventual } from '@pintle/async';
import type { KubernetesObject } from '@pintle/machinery';
import type { FieldError } from '@pintle/machinery/errors';
import type { Finding } from '@pintle/machinery/rules';
import type { ExplicitEmpty } from '@pintle/machinery/schema';
import type { Operation } from '@pintle/store';
import type { AdmissionRequest } from '../../resource/admission-request.ts';
import type { RequestContext } from '../../resource/endpoint.ts';
import type { WriteOptions } from '../../resource/options.ts';
import type { Guard, StoredVersion } from '../../storage/object-store.ts';
import type { RestoredEmpties } from './restore-empties.ts';

/** The object that a request asks for. */
export interface DesiredObject {
  readonly object: KubernetesObject;
  /** Lists and maps that were sent empty. */
  readonly emptied: readonly ExplicitEmpty[];
  /** The object has its managedFields already. */
  readonly isTracked?: boolean;
  /**
   * The request changes no value, so nothing may change: not even by defaults, which an object stored in another
   * version may lack.
   */
  readonly isSame?: boolean;
}

/** Change to an object by the body of a request. */
export interface Change {
  /** Returns the desired object for the existing one. Called again after a conflict. */
  desired(current: KubernetesObject): Eventual<DesiredObject>;
  /** Returns the object to create when it does not exist. Absent, or `undefined`: the request does not create. */
  desiredNew?(): Eventual<DesiredObject | undefined>;
  /** When another request creates the object meanwhile, the change is applied to that one. */
  readonly followsCreation?: boolean;
}

/** State of a write, which the steps fill in. */
export interface ObjectWrite {
  /** The request, with the resource in its path, which may be a view of other objects such as a Scale. */
  readonly context: RequestContext;
  /** The same request, with the resource whose objects are stored. */
  readonly stored: RequestContext;
  readonly options: WriteOptions;
  readonly desired: DesiredObject;
  /** The existing object; absent for a new one. */
  readonly current: StoredVersion | undefined;
  readonly admission: AdmissionRequest;
  /** The object as it will be stored. */
  next: KubernetesObject;
  /** Operations that commit together with the write or not at all. */
  claims: readonly Operation[];
}

export interface NewObject extends ObjectWrite {
  readonly current: undefined;
  /** Sent by POST: it must not have a resourceVersion. */
  readonly isPosted: boolean;
  /** Conditions on the namespace that must hold at the commit. */
  guards: readonly Guard[];
  isNameGenerated: boolean;
  attempts: number;
  findings: readonly FieldError[];
}

export interface ObjectChange extends ObjectWrite {
  readonly current: StoredVersion;
  /** Restores the empty lists that are not stored, so that errors show the object as it was sent. */
  restoreEmptyLists?: (() => void) | undefined;
  /** The previous object, and `next`, with the empty values that were sent. */
  restored?: RestoredEmpties<KubernetesObject>;
  findings: readonly Finding[];
}
