import type { FieldError } from '../errors/field-error.ts';
import type { KubernetesObject } from '../meta/object-meta.ts';
import type { Steps } from './steps.ts';

/**
 * Returns why a name cannot be used; empty when it can. `isPrefix`: it is a generateName, to which the server appends a
 * suffix.
 */
export type NameRule = (name: string, isPrefix: boolean) => readonly string[];

/** A column of `kubectl get`, as in `meta.k8s.io/v1 Table`. */
export interface Column {
  readonly name: string;
  readonly type: 'string' | 'integer' | 'number' | 'boolean' | 'date';
  readonly format?: '' | 'name' | 'int32' | 'int64' | 'date-time';
  /** 0: always shown. Above 0: shown only with `-o wide`. */
  readonly priority?: number;
  /** Default: the description in `facts/columns.yaml`, for columns of built-in kinds. */
  readonly description?: string;
}

export type Cell = string | number | boolean | null;

/** A condition of a whole row, as in `meta.k8s.io/v1 TableRowCondition`. */
export interface RowCondition {
  readonly type: 'Completed';
  readonly status: 'True' | 'False' | 'Unknown';
  readonly reason: string;
  readonly message: string;
}

/** Prints a kind as a table. `row` returns one cell per column. */
export interface Printer<T extends KubernetesObject = KubernetesObject> {
  readonly columns: readonly Column[];
  row(object: T, context: { readonly nowMs: number }): readonly Cell[];
  /** Default: none. */
  conditions?(object: T): readonly RowCondition[];
  /** Sort key of an object's row: rows are sorted by it, then by name. Default: all rows rank the same. */
  rank?(object: T): number;
}

/** The facts about a request that rules may use, for kinds that record who wrote them and when. */
export interface WriteContext {
  readonly nowMs: number;
  /** Returns a new random UUID. */
  uuid(): string;
  readonly user?: {
    readonly username: string;
    readonly uid?: string;
    readonly groups?: readonly string[];
    readonly extra?: Readonly<Record<string, readonly string[]>>;
  };
}

/** Counts the bytes that a rule adds to an object. */
export interface Growth {
  weigh(bytes: number): void;
}

/** A check of the metadata, as of a new object or as of an update. */
export type MetadataCheck = 'create' | 'update';

/** A finding of `validateUpdate`: an error, or the point in the order of errors at which the kind checks the metadata. */
export type Finding = FieldError | MetadataCheck;

/**
 * The rules for writing objects of one kind. Every function here is pure: it reads and changes only the objects it is
 * given. Objects arrive decoded and pruned; `next` may be changed in place, `previous` never.
 *
 *     create:  default ► (mutation) ► prepareForCreate ► validateFirst ► validate ► warnings ► (admission)
 *     update:  default ► (mutation) ► prepareForUpdate ► validateFirst ► validateUpdate ► warnings ► (admission)
 *
 * The server checks object metadata (names, labels, owner references, finalizers) for all kinds alike.
 */
export interface ResourceRules<T extends KubernetesObject = KubernetesObject> {
  /** Without one, names are DNS subdomains. */
  readonly validateName?: NameRule;
  /**
   * The checks of metadata that the kind itself makes on update, beside the server's. Each adds its causes, before the
   * errors of `validateUpdate` unless that returns the checks itself. A kind with an empty list does not check new
   * objects either. Default: one check, `update`.
   */
  readonly metadataChecks?: readonly MetadataCheck[];
  /** Finalizers need no domain and need not be ones Kubernetes knows. Default false. */
  readonly takesAnyFinalizer?: boolean;
  /** PUT on a missing object creates it. Default false. */
  readonly createOnUpdate?: boolean;
  /** PUT without a resourceVersion is allowed. Default true. */
  readonly unconditionalUpdate?: boolean;
  /** DELETE answers with the object instead of a Status. Default false. */
  readonly returnsDeletedObject?: boolean;
  /** Names of objects that are never deleted, and the reason that clients get. */
  readonly permanent?: { readonly names: ReadonlySet<string>; readonly reason: string };
  /** The server maintains `metadata.generation`: 1 at creation, one more with every change of what it covers. Default false. */
  readonly tracksGeneration?: boolean;
  /** Returns the part of an object whose change raises the generation. Default: everything but metadata and status. */
  generationCovers?(object: T): unknown;
  /** An empty list or map in a request counts as a change, though it is stored as absent. Default false. */
  readonly countsEmptyAsChange?: boolean;

  /**
   * Sets defaults. Runs on every object in a request and on old objects read from storage. Reports the bytes that it
   * adds to `growth` where they may be many.
   */
  default?(object: T, growth?: Growth): void;
  /** Clears or sets the fields that a creator does not decide, such as `status`. */
  prepareForCreate?(object: T, context?: WriteContext): void;
  /** Restores from `previous` the fields that an update may not change, such as `status`. The server sets the generation. */
  prepareForUpdate?(next: T, previous: T, context?: WriteContext): void;
  /** Runs before all other validation. If it returns errors, only they are reported. */
  validateFirst?(next: T, previous: T | undefined): readonly FieldError[];
  validate?(object: T): readonly FieldError[];
  validateUpdate?(next: T, previous: T): readonly Finding[];
  /**
   * As `validate`, or with `previous` as `validateUpdate`, in steps: for kinds whose objects may take long to check.
   * The server prefers it.
   */
  validateInSteps?(next: T, previous: T | undefined): Steps<readonly FieldError[]>;
  /** Returns warnings for the author; `previous` is absent at creation. */
  warnings?(next: T, previous: T | undefined): readonly string[];
  /** Returns problems that `validateUpdate` found in this object but tolerated. Called right after it, errors or not. */
  tolerated?(next: T): readonly string[];

  /** Returns the grace period of a delete; 0 removes the object at once. Default: always 0. */
  graceSeconds?(object: T, requestedSeconds: number | undefined): number;

  /**
   * Adds to an object about to be deleted what holds it until its cleanup is done, such as a finalizer. Every delete
   * then only marks the object.
   */
  prepareForDelete?(object: T, context: { readonly nowMs: number }): void;

  /** Rules for `status` and other subresources that write the same object, by the name of the subresource. */
  readonly subresources?: Readonly<Record<string, SubresourceRules<T>>>;

  /** Sets the fields of a blank object, such as that of a bookmark, beyond the zero values of its type. */
  completeBlank?(object: T): void;

  /** Annotations that hold a field of the object: omitted where a client asks for metadata only. */
  readonly fieldAnnotations?: readonly string[];

  /** Returns the fields that selectors may use, beyond metadata.name and metadata.namespace. Every field is always present. */
  selectableFields?(object: T): Readonly<Record<string, string>>;
  /** Returns the error message for any other field. Default: the server's message. */
  unsupportedField?(field: string, version: { readonly apiVersion: string }): string;
  readonly printer?: Printer<T>;
}

export interface SubresourceRules<T extends KubernetesObject = KubernetesObject> {
  /** As in `ResourceRules`. Default: one check, `update`. */
  readonly metadataChecks?: readonly MetadataCheck[];
  /** Restores from `previous` everything that this subresource may not change. */
  prepareForUpdate(next: T, previous: T, context?: WriteContext): void;
  validateUpdate?(next: T, previous: T): readonly Finding[];
  /** As in `ResourceRules`; `previous` is always present. */
  validateInSteps?(next: T, previous: T | undefined): Steps<readonly FieldError[]>;
  warnings?(next: T, previous: T): readonly string[];
  tolerated?(next: T): readonly string[];
}
