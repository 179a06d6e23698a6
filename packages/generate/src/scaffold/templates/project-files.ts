import type { Project } from '../../project/project.ts';

export interface TemplateOptions {
  /** Version of the packages of pintle. */
  readonly version: string;
  /** True when these packages are files in the folder `vendor` of the project. Default: from a registry. */
  readonly isVendored?: boolean;
}

/** Folder of packages that do not come from a registry. */
export const VENDOR_FOLDER = 'vendor';

/** Returns the name that npm gives the file of a package of pintle. */
export function packageFileName(name: string, version: string): string {
  return `pintle-${name}-${version}.tgz`;
}

/** Returns the files of a new project, by path. */
export function projectFiles(project: Project, options: TemplateOptions): Readonly<Record<string, string>> {
  return {
    'package.json': packageJson(project, options),
    'tsconfig.json': TSCONFIG,
    'README.md': readme(project),
    '.gitignore': 'node_modules/\ndist/\n.pintle/\n*.log\n',
    '.dockerignore': '*\n!package.json\n!package-lock.json\n!tsconfig.json\n!src\n!vendor\n',
    Dockerfile: dockerfile(options),
    '.github/workflows/test.yml': WORKFLOW,
    'src/main.ts': mainModule(project),
    'src/operator.ts': OPERATOR,
  };
}

function packageJson({ name, license }: Project, { version, isVendored = false }: TemplateOptions): string {
  const from = (each: string): string =>
    isVendored ? `file:${VENDOR_FOLDER}/${packageFileName(each, version)}` : version;
  const content = {
    name,
    version: '0.1.0',
    private: true,
    type: 'module',
    license,
    engines: { node: '>=20.19' },
    scripts: {
      build: 'tsc',
      start: 'node --enable-source-maps dist/main.js',
      test: 'vitest run --dir src --passWithNoTests',
      dev: 'pintle dev',
      generate: 'pintle generate manifests',
      deploy: 'pintle deploy',
    },
    dependencies: {
      '@pintle/client': from('client'),
      '@pintle/kinds': from('kinds'),
      '@pintle/machinery': from('machinery'),
      '@pintle/operator': from('operator'),
      zod: '^4.2.0',
    },
    devDependencies: {
      '@pintle/cli': from('cli'),
      '@pintle/testing': from('testing'),
      '@types/node': '^20.19.0',
      typescript: '^7.0.0',
      vitest: '^4.0.0',
    },
  };
  return `${JSON.stringify(content, null, 2)}\n`;
}

const TSCONFIG = `{
  "compilerOptions": {
    "target": "ES2023",
    "lib": ["ES2023", "ESNext.Disposable"],
    "types": ["node"],
    "module": "NodeNext",
    "strict": true,
    "noUncheckedIndexedAccess": true,
    "verbatimModuleSyntax": true,
    "erasableSyntaxOnly": true,
    "rewriteRelativeImportExtensions": true,
    "incremental": true,
    "sourceMap": true,
    "skipLibCheck": true,
    "rootDir": "src",
    "outDir": "dist",
    "tsBuildInfoFile": "dist/.tsbuildinfo"
  },
  "include": ["src"]
}
`;

function dockerfile({ isVendored = false }: TemplateOptions): string {
  return `FROM node:24-slim AS build
WORKDIR /app
COPY package.json package-lock.json* ./
${isVendored ? `COPY ${VENDOR_FOLDER} ./${VENDOR_FOLDER}\n` : ''}RUN npm install --no-audit --no-fund
COPY tsconfig.json ./
COPY src ./src
RUN npm run build && npm prune --omit=dev

FROM node:24-slim
WORKDIR /app
ENV NODE_ENV=production
COPY --from=build /app/package.json ./
COPY --from=build /app/node_modules ./node_modules
COPY --from=build /app/dist ./dist
USER 65532:65532
ENTRYPOINT ["node", "--enable-source-maps", "dist/main.js"]
`;
}

const WORKFLOW = `name: test
on: [push, pull_request]
permissions:
  contents: read
jobs:
  test:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
      - uses: actions/setup-node@v4
        with:
          node-version: 24
          cache: npm
      - run: npm ci
      - run: npm run build
      - run: npm test
`;

function mainModule({ name, namespaced, sharded }: Project): string {
  const scope = namespaced ? "\n  namespaces: [POD_NAMESPACE ?? 'default']," : '';
  return `import { Manager } from '@pintle/operator';
import { addOperator } from './operator.ts';

const { POD_NAMESPACE, HEALTH_PORT = '8081', METRICS_PORT = '8080' } = process.env;
const { WEBHOOK_PORT = '9443', WEBHOOK_CERTIFICATES } = process.env;

const manager = new Manager({
  name: '${name}',
  ${sharded ? 'sharding' : 'leaderElection'}: '${name}',${scope}
  health: { port: Number(HEALTH_PORT) },
  metrics: { port: Number(METRICS_PORT) },
  webhooks: {
    port: Number(WEBHOOK_PORT),
    // In a pod, the API server reaches the webhooks through a Service; on your machine, directly.
    ...(POD_NAMESPACE && { service: { namespace: POD_NAMESPACE, name: '${name}-webhooks' } }),
    // With certificates from outside, as with OLM, the webhooks are registered from outside too.
    ...(WEBHOOK_CERTIFICATES && { certificates: { directory: WEBHOOK_CERTIFICATES }, isRegistering: false }),
  },
});
addOperator(manager);
await manager.run();
`;
}

const OPERATOR = `import type { Manager } from '@pintle/operator';

/** Adds the controllers and webhooks of this operator. */
export function addOperator(manager: Manager): void {
  manager.log.info('Operator starts');
}
`;

function readme({ name }: Project): string {
  return `# ${name}

An operator, made with [Pintle](https://github.com/pintle/pintle).

\`\`\`sh
npm install
npx --no-install pintle create api --group GROUP --version v1 --kind KIND   # Create a resource and its controller
npm test                                    # Run the tests; each starts a control plane
npm run dev                                 # Run a control plane and the operator, with live reload
npm run generate                            # Generate the manifests for a cluster
npm run deploy                              # Deploy to the cluster of your kubeconfig
npx --no-install pintle upgrade             # Upgrade the scaffolded files to this version
\`\`\`

With \`--no-install\`, npx never downloads another package named pintle from the registry. The settings of the deployment
(resources, environment, tolerations, …) are in \`pintle.json\` under \`deployment\`.
`;
}
