import type { Project } from '../../project/project.ts';
import { projectFiles, type TemplateOptions } from './project-files.ts';

type Files = (project: Project, options: TemplateOptions) => Readonly<Record<string, string | undefined>>;

/**
 * Files that were different up to a layout, by that layout; `undefined` for a file that did not exist. A change of a template
 * in `project-files.ts` raises LAYOUT and puts the former text here, so that `pintle upgrade` knows what users started with.
 */
export const OLDER_FILES: Readonly<Record<number, Files>> = {
  1: ({ name }) => ({ 'README.md': readme1(name) }),
  2: (project, options) => ({ 'package.json': package2(project, options) }),
  3: (project, options) => ({
    'README.md': readme3(project.name),
    '.dockerignore': '*\n!package.json\n!package-lock.json\n!tsconfig.json\n!src\n',
    ...withoutSourceMaps(projectFiles(project, options)),
  }),
  4: (project, options) => ({ 'README.md': readme4(project.name), 'src/main.ts': main4(project, options) }),
};

/** README before `pintle upgrade` existed. */
function readme1(name: string): string {
  const lines = readme3(name).split('\n');
  return lines.filter((line) => !line.startsWith('npx pintle upgrade')).join('\n');
}

/** package.json whose `npm test` failed without tests. */
function package2(project: Project, options: TemplateOptions): string {
  const { 'package.json': text } = withoutSourceMaps(projectFiles(project, options));
  return text.replace(' --passWithNoTests', '');
}

/** Files without source maps in stack traces. */
function withoutSourceMaps(files: Readonly<Record<string, string>>): Record<'package.json' | 'Dockerfile', string> {
  return {
    'package.json': files['package.json']!.replace(' --enable-source-maps', ''),
    Dockerfile: files.Dockerfile!.replace('"--enable-source-maps", ', ''),
  };
}

/** The same code with former comments. */
function main4(project: Project, options: TemplateOptions): string {
  return projectFiles(project, options)
    ['src/main.ts']!.replace(
      '// In a pod, the API server reaches the webhooks through a Service; on your machine, directly.',
      '// In a pod, the API server comes through a Service; on your machine, straight to it.',
    )
    .replace(
      '// With certificates from outside, as with OLM, the webhooks are registered from outside too.',
      '// Whoever brings certificates, as OLM does, also tells the API server where the webhooks are.',
    );
}

function readme4(name: string): string {
  return `# ${name}

An operator, made with [Pintle](https://github.com/pintle/pintle).

\`\`\`sh
npm install
npx --no-install pintle create api --group GROUP --version v1 --kind KIND   # a resource and its controller
npm test                                    # against a control plane inside the test
npm run dev                                 # control plane + operator, restarted when code changes
npm run generate                            # what a cluster needs to run it
npm run deploy                              # onto the cluster of your kubeconfig
npx --no-install pintle upgrade             # what an older pintle scaffolded, brought up to date
\`\`\`

Without \`--no-install\`, npx asks the registry for a package called pintle where it finds none here, and that one may be
anybody's. How the operator is deployed (resources, environment, tolerations, …) stands in \`pintle.json\` under \`deployment\`.
`;
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
