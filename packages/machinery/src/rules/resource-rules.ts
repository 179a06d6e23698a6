import type { FieldError } from '../errors/field-error.ts';
import type { KubernetesObject } from '../meta/object-meta.ts';
import type { Steps } from './steps.ts';

/** Why a name cannot be used; empty when it can. `isPrefix`: it is a generateName, to which a suffix will be added. */
export type NameRule = (name: string, isPrefix: boolean) => readonly string[];

/** A column of `kubectl get`, as in `meta.k8s.io/v1 Table`. */
export interface Column {
  readonly name: string;
  readonly type: 'string' | 'integer' | 'number' | 'boolean' | 'date';
  readonly format?: '' | 'name' | 'int32' | 'int64' | 'date-time';
  /** 0: always shown; above: only with `-o wide`. */
  readonly priority?: number;
  /** Default: what is known of the column of a built-in kind. */
  readonly description?: string;
}

export type Cell = string | number | boolean | null;

/** What is to be said of a row as a whole, as in `meta.k8s.io/v1 TableRowCondition`. */
export interface RowCondition {
  readonly type: 'Completed';
  readonly status: 'True' | 'False' | 'Unknown';
  readonly reason: string;
  readonly message: string;
}

/** How a kind appears in a table. `row` gives one cell per column. */
export interface Printer<T extends KubernetesObject = KubernetesObject> {
  readonly columns: readonly Column[];
  row(object: T, context: { readonly nowMs: number }): readonly Cell[];
  /** Default: none. */
  conditions?(object: T): readonly RowCondition[];
  /** Rows of a list stand in the order of these, those of the same number in the order of their names. Default: all of them. */
  rank?(object: T): number;
}

/** What a rule may know about the request it serves, where a kind records who wrote and when. */
export interface WriteContext {
  readonly nowMs: number;
  /** A fresh name that nobody else has. */
  uuid(): string;
  readonly user?: {
    readonly username: string;
    readonly uid?: string;
    readonly groups?: readonly string[];
    readonly extra?: Readonly<Record<string, readonly string[]>>;
  };
}

/** Is told how large something is that is made while an object is written. */
export interface Growth {
  weigh(bytes: number): void;
}

/** A look at metadata: as at a new object, or at what changed. */
export type MetadataCheck = 'create' | 'update';

/** What `validateUpdate` finds: errors, and between them where in their order the kind looks at the metadata. */
export type Finding = FieldError | MetadataCheck;

/**
 * What is particular about writing objects of one kind. Every function here is pure: it looks at and changes only the
 * objects it is given. Objects arrive decoded and pruned; `next` may be changed in place, `previous` never.
 *
 *     create:  default ► prepareForCreate ► (admission) ► validateFirst ► validate ► warnings
 *     update:  default ► prepareForUpdate ► (admission) ► validateFirst ► validateUpdate ► warnings
 *
 * Object metadata (names, labels, owner references, finalizers) is checked by the server for all kinds alike.
 */
export interface ResourceRules<T extends KubernetesObject = KubernetesObject> {
  /** Without one, names are DNS subdomains. */
  readonly validateName?: NameRule;
  /**
   * How often the kind itself looks at the metadata of a changed object, beside the server: every look shows among the
   * causes, before what `validateUpdate` finds, unless that says where it looks. A kind with an empty list does not look
   * at a new object either. Default: one look, `update`.
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
  /** Objects that are never deleted, and why not. */
  readonly permanent?: { readonly names: ReadonlySet<string>; readonly reason: string };
  /** `metadata.generation` is kept for this kind: 1 at creation, one more with every change of what it covers. Default false. */
  readonly tracksGeneration?: boolean;
  /** The part of an object whose change raises the generation. Default: everything but metadata and status. */
  generationCovers?(object: T): unknown;
  /** A list or map that is sent empty counts as a change, though it is stored as none. Default false. */
  readonly countsEmptyAsChange?: boolean;

  /**
   * Fills what the author left out. Runs on every object that comes in and on old objects read from storage. Tells
   * `growth` how many bytes it adds where they may be many.
   */
  default?(object: T, growth?: Growth): void;
  /** Clears or sets what a creator does not decide, such as `status`. */
  prepareForCreate?(object: T, context?: WriteContext): void;
  /** Keeps from `previous` what an update may not touch, such as `status`. Generation is the server's work. */
  prepareForUpdate?(next: T, previous: T, context?: WriteContext): void;
  /** What is looked at before anything else: where it finds something, that is all that is reported. */
  validateFirst?(next: T, previous: T | undefined): readonly FieldError[];
  validate?(object: T): readonly FieldError[];
  validateUpdate?(next: T, previous: T): readonly Finding[];
  /**
   * What `validate` finds, or with `previous` what `validateUpdate` finds, in pieces: for kinds whose objects may take
   * long to check. The server prefers it.
   */
  validateInSteps?(next: T, previous: T | undefined): Steps<readonly FieldError[]>;
  /** Hints for the author that are no errors; `previous` is absent at creation. */
  warnings?(next: T, previous: T | undefined): readonly string[];
  /** What `validateUpdate` found wrong with this object but did not hold against it; asked right after, errors or not. */
  tolerated?(next: T): readonly string[];

  /** How long a delete leaves the object to wind down; 0 takes it away at once. Without this, always 0. */
  graceSeconds?(object: T, requestedSeconds: number | undefined): number;

  /** Adds to an object that is about to be deleted what holds it until somebody has cleaned up; every delete then only marks. */
  prepareForDelete?(object: T, context: { readonly nowMs: number }): void;

  /** Rules for `status` and other subresources that write the same object; keyed by the subresource's name. */
  readonly subresources?: Readonly<Record<string, SubresourceRules<T>>>;

  /** Fills in what an object shows of this kind that nobody wrote, such as a bookmark, beyond the zero values of its type. */
  completeBlank?(object: T): void;

  /** Annotations that are a field in disguise: left out where only metadata is asked for. */
  readonly disguisedFields?: readonly string[];

  /** Values that field selectors may ask for, beyond metadata.name and metadata.namespace; every label always present. */
  selectableFields?(object: T): Readonly<Record<string, string>>;
  /** What is said of a field that is not among those, where a kind has words of its own. */
  unsupportedField?(field: string, version: { readonly apiVersion: string }): string;
  readonly printer?: Printer<T>;
}

export interface SubresourceRules<T extends KubernetesObject = KubernetesObject> {
  /** As in `ResourceRules`. Default: one look, `update`. */
  readonly metadataChecks?: readonly MetadataCheck[];
  /** Keeps from `previous` everything this subresource may not touch. */
  prepareForUpdate(next: T, previous: T, context?: WriteContext): void;
  validateUpdate?(next: T, previous: T): readonly Finding[];
  /** As in `ResourceRules`; there always is a `previous`. */
  validateInSteps?(next: T, previous: T | undefined): Steps<readonly FieldError[]>;
  warnings?(next: T, previous: T): readonly string[];
  tolerated?(next: T): readonly string[];
}
