import type { Project } from '../../project/project.ts';
import { projectFiles, type TemplateOptions } from './project-files.ts';

type Files = (project: Project, options: TemplateOptions) => Readonly<Record<string, string | undefined>>;

/**
 * Files that looked otherwise up to a layout, by that layout; `undefined` is one that it did not have yet. Whoever changes
 * a template of the project's own files raises LAYOUT and puts the text that was here: `pintle upgrade` then knows
 * what people began with.
 */
export const OLDER_FILES: Readonly<Record<number, Files>> = {
  1: ({ name }) => ({ 'README.md': readme1(name) }),
  2: (project, options) => ({ 'package.json': package2(project, options) }),
  3: (project, options) => ({
    'README.md': readme3(project.name),
    '.dockerignore': '*\n!package.json\n!package-lock.json\n!tsconfig.json\n!src\n',
    ...withoutSourceMaps(projectFiles(project, options)),
  }),
};

/** Before `pintle upgrade`. */
function readme1(name: string): string {
  const lines = readme3(name).split('\n');
  return lines.filter((line) => !line.startsWith('npx pintle upgrade')).join('\n');
}

/** Its tests failed as long as there were none. */
function package2(project: Project, options: TemplateOptions): string {
  const { 'package.json': text } = withoutSourceMaps(projectFiles(project, options));
  return text.replace(' --passWithNoTests', '');
}

/** Stacks named lines of what was compiled. */
function withoutSourceMaps(files: Readonly<Record<string, string>>): Record<'package.json' | 'Dockerfile', string> {
  return {
    'package.json': files['package.json']!.replace(' --enable-source-maps', ''),
    Dockerfile: files.Dockerfile!.replace('"--enable-source-maps", ', ''),
  };
}

function readme3(name: string): string {
  return `# ${name}

An operator, made with [Pintle](https://github.com/pintle/pintle).

\`\`\`sh
npm install
npx pintle create api --group GROUP --version v1 --kind KIND   # a resource and its controller
npm test                                                       # against a control plane inside the test
npx pintle dev                                                 # control plane + operator, restarted when code changes
npx pintle generate manifests                                  # what a cluster needs to run it
npx pintle deploy                                              # onto the cluster of your kubeconfig
npx pintle upgrade                                             # after npm update: what was scaffolded, brought up to date
\`\`\`
`;
}
