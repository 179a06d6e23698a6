/** A line of the sources. */
export interface SourceLocation {
  readonly file: string;
  readonly line: number;
}

/** An error in the sources of a CRD. */
export interface SourceProblem extends SourceLocation {
  readonly message: string;
}

/** A call in the sources. */
export interface SourceCall extends SourceLocation {
  /** Code of the call, shortened: `ctx.follow(Secret)`. */
  readonly call: string;
}

/** A call that needs rights to a kind that is only known at run time. */
export interface UnknownUse extends SourceCall {
  readonly verbs: readonly string[];
}

/** The change of one file. */
export interface FileChange {
  /** Path from the folder of the project, with slashes. */
  readonly path: string;
  readonly type: 'create' | 'edit' | 'same' | 'move' | 'delete';
  /** New content. Absent for a deleted file, and for a file that is moved unchanged. */
  readonly text?: string;
  /** Former path of a moved file. */
  readonly from?: string;
  /** Path of the file that is copied. */
  readonly source?: string;
}

/** A name that cannot be used. */
export interface NameProblem {
  /** `a kind` */
  readonly what: string;
  readonly name: string;
  readonly detail: string;
}

/** Reason why something cannot be generated. */
export type GenerateFailure =
  | { readonly code: 'NotAProject'; readonly path: string }
  | { readonly code: 'BadProjectFile'; readonly path: string; readonly detail: string }
  | ({ readonly code: 'BadName' } & NameProblem)
  | { readonly code: 'BadNames'; readonly names: readonly NameProblem[] }
  | { readonly code: 'Exists'; readonly paths: readonly string[]; readonly advice?: string }
  | { readonly code: 'BuildFailed'; readonly output: string }
  | { readonly code: 'NoOperator'; readonly path: string; readonly detail: string }
  | { readonly code: 'BadSource'; readonly path: string; readonly detail: string }
  | { readonly code: 'NoResources'; readonly from: readonly string[] }
  | { readonly code: 'BadCode'; readonly problems: readonly SourceProblem[] }
  | { readonly code: 'UnknownUse'; readonly uses: readonly UnknownUse[] }
  | { readonly code: 'OtherProject'; readonly path: string }
  | { readonly code: 'Outdated'; readonly paths: readonly string[] }
  | { readonly code: 'Stale'; readonly changes: readonly FileChange[] }
  | { readonly code: 'BadSettings'; readonly path: string; readonly problems: readonly string[] }
  | { readonly code: 'NoPackages'; readonly folder: string; readonly version: string }
  | { readonly code: 'CannotEdit'; readonly path: string; readonly detail: string };

/** An error that the user can fix. */
export class GenerateError extends Error {
  override readonly name = 'GenerateError';
  readonly failure: GenerateFailure;

  constructor(failure: GenerateFailure, options?: ErrorOptions) {
    super(describe(failure), options);
    this.failure = failure;
  }
}

function describe(failure: GenerateFailure): string {
  switch (failure.code) {
    case 'NotAProject':
      return `Cannot find a project: ${failure.path} has no pintle.json. Run \`pintle init\`, or change to the folder of a project`;
    case 'BadProjectFile':
      return `Cannot read ${failure.path}: ${failure.detail}`;
    case 'BadName':
      return describeName(failure);
    case 'BadNames':
      return failure.names.map(describeName).join('\n');
    case 'Exists':
      return `Cannot write files: ${failure.paths.join(', ')} would be overwritten. Nothing was changed${failure.advice === undefined ? '' : `. ${failure.advice}`}`;
    case 'BuildFailed':
      return `Cannot compile the project:\n${failure.output}`;
    case 'NoOperator':
      return `Cannot load the operator from ${failure.path}: ${failure.detail}`;
    case 'BadSource':
      return `Cannot read ${failure.path}: ${failure.detail}`;
    case 'NoResources':
      return `Cannot generate CRDs: no interface in ${failure.from.join(', ')} has a @resource tag. For CRDs of defineResource, run \`pintle generate manifests\``;
    case 'BadCode':
      return failure.problems.map(({ file, line, message }) => `${file}:${line}: ${message}`).join('\n');
    case 'UnknownUse':
      return [
        'Cannot generate roles: these calls use kinds that are only known at run time.',
        ...failure.uses.map(
          ({ file, line, call, verbs }) => `${file}:${line}: ${call} needs ${verbs.join(', ') || 'some verb'}`,
        ),
        "Pass the kind itself, or declare the possible kinds: manager.declare(Secret, ['get'])",
      ].join('\n');
    case 'OtherProject':
      return `Cannot create the project: ${failure.path} has one with other settings. Change them with \`pintle edit\``;
    case 'Outdated':
      return `Scaffolded files are out of date: ${failure.paths.join(', ')}; run \`pintle upgrade\``;
    case 'Stale':
      return `Generated files are out of date: ${failure.changes.map(({ path }) => path).join(', ')}`;
    case 'BadSettings':
      return `Cannot use the settings in ${failure.path}: ${failure.problems.join('; ')}`;
    case 'NoPackages':
      return `Cannot find packages of version ${failure.version} in ${failure.folder}: run \`npm run pack -- ${failure.folder}\` in the clone of pintle`;
    case 'CannotEdit':
      return `Cannot edit ${failure.path}: ${failure.detail}`;
  }
}

function describeName({ what, name, detail }: NameProblem): string {
  return `Cannot use ${JSON.stringify(name)} as ${what}: ${detail}`;
}

/** Stops the reading of one resource. The errors of all resources are reported together. */
export class SourceError extends Error {
  override readonly name = 'SourceError';
  readonly problem: SourceProblem;

  constructor({ file, line }: SourceLocation, message: string) {
    super(`${file}:${line}: ${message}`);
    this.problem = { file, line, message };
  }
}
