import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, join, relative, resolve, sep } from 'node:path';
import { pathToFileURL } from 'node:url';
import { compileProject, folderOf, kebab, type Project, readProject } from '@pintle/generate';
import type { KubernetesObject, ResourceType } from '@pintle/machinery';
import { errorText } from '@pintle/machinery/errors';
import type * as Exploring from '@pintle/testing/explore';
import { terminalText } from '../terminal-text.ts';
import { UsageError } from '../usage-error.ts';
import { projectDirectory } from './project-directory.ts';

interface ExploreFlags {
  /** The explorations to run. Default: all of the project. */
  readonly files: readonly string[];
  readonly seconds?: number;
  readonly seed?: string;
  /** A plan to replay. */
  readonly plan?: string;
  /** Folder of the pages and files that are written of each exploration. */
  readonly report?: string;
  readonly output?: 'text' | 'json';
}

interface Explored {
  readonly file: string;
  readonly report: Exploring.Report;
}

const EXPLORATION = /\.explore\.ts$/;

/** `pintle explore`: runs the explorations of a project. The exit code is 1 where something was found. */
export async function explore(flags: ExploreFlags): Promise<void> {
  const directory = projectDirectory();
  const project = readProject(directory);
  const library = await loadLibrary(directory);
  const plan = flags.plan === undefined ? undefined : readPlan(flags.plan);
  await compileProject(directory, { checksExplorations: true });
  const explored: Explored[] = [];
  for (const { file, load } of explorationsOf(directory, project, flags.files, library)) {
    const options = await load();
    const progress = new ProgressLine(file, flags.output === 'json');
    const report = await library.explore({
      ...options,
      ...(flags.seconds !== undefined && { budget: { ...options.budget, seconds: flags.seconds } }),
      ...(flags.seed !== undefined && { seed: flags.seed }),
      ...(plan && { plan }),
      onProgress: (each) => progress.show(each),
    });
    progress.end();
    explored.push({ file, report });
    if (flags.output !== 'json') process.stdout.write(`${file}: ${terminalText(library.reportText(report))}\n\n`);
  }
  if (flags.report !== undefined) writeReports(flags.report, explored, library);
  if (flags.output === 'json')
    process.stdout.write(
      `${JSON.stringify({ explorations: explored.map(({ file, report }) => ({ file, ...report })) }, null, 2)}\n`,
    );
  const found = explored.reduce((count, { report }) => count + report.findings.length, 0);
  if (found === 0) return;
  process.stderr.write(`Explored: ${found === 1 ? '1 finding' : `${found} findings`}\n`);
  process.exitCode = 1;
}

interface Exploration {
  readonly file: string;
  readonly load: () => Promise<Exploring.ExploreOptions>;
}

/** The project's own explorations, and one by the schema for each controller of a resource that has none. */
function explorationsOf(
  directory: string,
  project: Project,
  asked: readonly string[],
  library: typeof Exploring,
): Exploration[] {
  const wrong = asked.find((file) => !EXPLORATION.test(file));
  if (wrong !== undefined)
    throw new UsageError(`Cannot explore ${wrong}: the name of an exploration ends with .explore.ts`);
  const absent = asked.find((file) => !existsSync(resolve(directory, file)));
  if (absent !== undefined) throw new UsageError(`Cannot explore ${absent}: there is no such file in the project`);
  const files =
    asked.length > 0 ? asked.map((file) => relative(directory, resolve(directory, file))) : ownFiles(directory);
  const own = files.map((file) => ({ file, load: () => loadExploration(directory, file) }));
  const controllers = project.resources
    .filter(({ isDefined, hasController }) => isDefined && hasController)
    .map(({ group, kind }) => ({ kind, folder: folderOf(project, { group, kind }) }))
    .filter(({ folder }) => asked.length === 0 && !files.some((file) => file.startsWith(`${folder}${sep}`)));
  const bySchema = [...new Map(controllers.map((each) => [each.folder, each])).values()].map(({ kind, folder }) => {
    const file = `${folder}/${kebab(kind)}-controller.ts`;
    return { file, load: () => bySchemaOf(directory, { kind, folder, file }, library) };
  });
  const all = [...own, ...bySchema];
  if (all.length === 0)
    throw new UsageError(
      'Cannot explore: there is no controller of a resource of this project, and no src/**/*.explore.ts',
    );
  return all;
}

function ownFiles(directory: string): string[] {
  return (readdirSync(join(directory, 'src'), { recursive: true }) as string[])
    .filter((file) => EXPLORATION.test(file))
    .map((file) => join('src', file))
    .sort();
}

async function bySchemaOf(
  directory: string,
  { kind, folder, file }: { readonly kind: string; readonly folder: string; readonly file: string },
  { fromSchema }: typeof Exploring,
): Promise<Exploring.ExploreOptions> {
  const resource = (await loadModule(directory, `${folder}/${kebab(kind)}.ts`))[kind] as ResourceType | undefined;
  const operator = (await loadModule(directory, file))[`add${kind}Controller`];
  if (resource === undefined || typeof operator !== 'function')
    throw new UsageError(
      `Cannot explore ${file}: it exports no add${kind}Controller. Write ${file.replace('.ts', '.explore.ts')}`,
    );
  if (operator.length > 1)
    throw new UsageError(
      `Cannot explore ${file}: add${kind}Controller takes more than the manager. Write ${file.replace('.ts', '.explore.ts')}, whose operator passes the rest`,
    );
  return {
    crds: [resource as unknown as KubernetesObject],
    operator: operator as NonNullable<Exploring.ExploreOptions['operator']>,
    inputs: fromSchema(resource),
  };
}

async function loadModule(directory: string, file: string): Promise<Record<string, unknown>> {
  const compiled = join(directory, 'dist', relative('src', file)).replace(/\.ts$/, '.js');
  return (await import(pathToFileURL(compiled).href)) as Record<string, unknown>;
}

/** Loads the library of the project, which the explorations use as well. */
async function loadLibrary(directory: string): Promise<typeof Exploring> {
  try {
    const path = createRequire(join(directory, 'package.json')).resolve('@pintle/testing/explore');
    return (await import(pathToFileURL(path).href)) as typeof Exploring;
  } catch (error) {
    throw new UsageError(`Cannot explore: @pintle/testing is not installed here: ${errorText(error)}`);
  }
}

async function loadExploration(directory: string, file: string): Promise<Exploring.ExploreOptions> {
  const { default: options } = (await loadModule(directory, file)) as { readonly default?: Exploring.ExploreOptions };
  if (typeof options?.operator === 'function') return options;
  throw new UsageError(`Cannot explore ${file}: its default export is not an exploration with an operator`);
}

function readPlan(path: string): Exploring.PlanFile {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as Exploring.PlanFile;
  } catch (error) {
    throw new UsageError(`Cannot read plan ${path}: ${errorText(error)}`);
  }
}

function writeReports(
  folder: string,
  explored: readonly Explored[],
  { reportHtml, reportJunit }: Pick<typeof Exploring, 'reportHtml' | 'reportJunit'>,
): void {
  mkdirSync(folder, { recursive: true });
  for (const { file, report } of explored) {
    const name = basename(file).replace(/(?:\.explore)?\.ts$/, '');
    writeFileSync(join(folder, `${name}.html`), reportHtml(report, { title: name }));
    writeFileSync(join(folder, `${name}.json`), `${JSON.stringify(report, null, 2)}\n`);
    writeFileSync(join(folder, `${name}.junit.xml`), reportJunit(report, { name }));
  }
}

/** One line in a terminal that tells how far an exploration is. */
class ProgressLine {
  readonly #file: string;
  readonly #isShown: boolean;

  constructor(file: string, isSilent: boolean) {
    this.#file = file;
    this.#isShown = !isSilent && process.stderr.isTTY === true;
  }

  show({ plans, planned, findings, elapsedMs }: Exploring.Progress): void {
    if (!this.#isShown) return;
    const seconds = Math.round(elapsedMs / 1_000);
    const line = `${this.#file}: ${plans} plans, ${planned} planned, ${findings} found, ${seconds} s`;
    process.stderr.write(`\r\u001b[K${line.slice(0, (process.stderr.columns ?? 80) - 1)}`);
  }

  end(): void {
    if (this.#isShown) process.stderr.write('\r\u001b[K');
  }
}
