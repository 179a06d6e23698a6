/** Where something stands in the sources. */
export interface Place {
  readonly file: string;
  readonly line: number;
}

/** Something about sources that cannot be made a definition of. */
export interface SourceProblem extends Place {
  readonly message: string;
}

/** A call in the sources. */
export interface SourcePlace extends Place {
  /** The call as it stands there, shortened: `ctx.follow(Secret)`. */
  readonly call: string;
}

/** A call that takes rights to a kind that is only known when it runs. */
export interface UnknownUse extends SourcePlace {
  readonly verbs: readonly string[];
}

/** What becomes of one file. */
export interface FileChange {
  /** From the project's folder, with slashes. */
  readonly path: string;
  readonly type: 'create' | 'edit' | 'same' | 'move' | 'delete';
  /** What it holds then. Absent: nothing, or what the moved file held. */
  readonly text?: string;
  /** Where a file that is moved was. */
  readonly from?: string;
  /** The file elsewhere that it is a copy of. */
  readonly source?: string;
}

/** Why something cannot be generated. `problem` is a sentence for the person who asked. */
export type GenerateFailure =
  | { readonly code: 'NotAProject'; readonly path: string }
  | { readonly code: 'BadProjectFile'; readonly path: string; readonly detail: string }
  | { readonly code: 'BadName'; readonly what: string; readonly name: string; readonly detail: string }
  | { readonly code: 'Exists'; readonly paths: readonly string[] }
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

/** Something the person who asked can mend. */
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
      return `There is no pintle.json in ${failure.path}: run \`pintle init\` first, or go to the folder of a project`;
    case 'BadProjectFile':
      return `Cannot read ${failure.path}: ${failure.detail}`;
    case 'BadName':
      return `${JSON.stringify(failure.name)} cannot be ${failure.what}: ${failure.detail}`;
    case 'Exists':
      return `Nothing was changed: ${failure.paths.join(', ')} would be overwritten`;
    case 'BuildFailed':
      return `The project does not compile:\n${failure.output}`;
    case 'NoOperator':
      return `Cannot find out what the operator does from ${failure.path}: ${failure.detail}`;
    case 'BadSource':
      return `Cannot read ${failure.path}: ${failure.detail}`;
    case 'NoResources':
      return `No interface in ${failure.from.join(', ')} has a @resource tag; what defineResource defines is written by \`pintle generate manifests\``;
    case 'BadCode':
      return failure.problems.map(({ file, line, message }) => `${file}:${line}: ${message}`).join('\n');
    case 'UnknownUse':
      return [
        'Cannot tell which rights the operator needs: these calls are of kinds that only show when they run.',
        ...failure.uses.map(
          ({ file, line, call, verbs }) => `${file}:${line}: ${call} needs ${verbs.join(', ') || 'some verb'}`,
        ),
        "Hand over the kind itself, or say which kinds they may be: manager.declare(Secret, ['get'])",
      ].join('\n');
    case 'OtherProject':
      return `There is a project with other settings in ${failure.path}: \`pintle edit\` changes them`;
    case 'Outdated':
      return `Not what pintle would scaffold now: ${failure.paths.join(', ')}; run \`pintle upgrade\``;
    case 'Stale':
      return `Not what would be generated now: ${failure.changes.map(({ path }) => path).join(', ')}`;
    case 'BadSettings':
      return `Cannot use the settings in ${failure.path}: ${failure.problems.join('; ')}`;
    case 'NoPackages':
      return `There are no packages of version ${failure.version} in ${failure.folder}: run \`npm run pack -- ${failure.folder}\` in the clone of pintle`;
    case 'CannotEdit':
      return `Cannot edit ${failure.path}: ${failure.detail}`;
  }
}

/** Stops the reading of one resource; all resources are read before anything is said. */
export class SourceError extends Error {
  override readonly name = 'SourceError';
  readonly problem: SourceProblem;

  constructor({ file, line }: Place, message: string) {
    super(`${file}:${line}: ${message}`);
    this.problem = { file, line, message };
  }
}
