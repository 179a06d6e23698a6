import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const DOCS = join(import.meta.dirname, '..', 'pages');

/** Returns an entry of the sidebar for a page of the site, with its own heading. */
function page(name) {
  const [, text = name] = /^# (.*)$/m.exec(readFileSync(join(DOCS, `${name}.md`), 'utf8')) ?? [];
  return { text, link: `/${name}` };
}

/** Pages that exist; some guides are written later. */
const pages = (...names) => names.filter((name) => existsSync(join(DOCS, `${name}.md`))).map(page);

/** Small texts have too little contrast by default, and the keys on the button of the search are no part of its name. */
const STYLE = [
  'html:root { --vp-c-text-3: #5c5c66 }',
  'html.dark:root { --vp-c-text-3: #b0b0bc }',
  '.DocSearch-Button-Keys { display: none !important }',
].join('\n');

export default {
  title: 'Pintle',
  description: 'Kubernetes control plane and operator toolkit in TypeScript',
  lang: 'en',
  srcDir: 'pages',
  outDir: '../../site',
  cacheDir: '../node_modules/.cache/vitepress',
  cleanUrls: false,
  lastUpdated: false,
  // Pages link to files of the repository, which are no part of the site; tests/docs/links.test.ts checks those links.
  ignoreDeadLinks: [/^(?:\.\/)?(?:\.\.\/)+/],
  rewrites: { 'decisions/README.md': 'decisions/index.md' },
  head: [['style', {}, STYLE]],
  markdown: { html: false, theme: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' } },
  themeConfig: {
    search: { provider: 'local' },
    outline: [2, 3],
    sidebar: [
      { text: 'Start', items: pages('start-here') },
      {
        text: 'Guides',
        items: pages(
          'first-operator',
          'controllers',
          'testing-an-operator',
          'exploring-faults',
          'webhooks',
          'versions',
          'moving-the-stored-version',
          'deploying',
          'console',
          'sharding',
          'etcd',
          'operating',
          'envtest',
          'your-own-api-server',
          'backup-and-repair',
          'coming-from-kubebuilder',
          'coming-from-pepr',
          'migrating-from-client-node',
        ),
      },
      {
        text: 'Concepts',
        items: pages('resource-versions', 'field-ownership', 'nothing-to-send', 'caches', 'admission', 'store'),
      },
      {
        text: 'Reference',
        items: pages(
          'reference/commands',
          'flags',
          'markers',
          'audit',
          'reference/limits',
          'reference/metrics',
          'reference/errors',
          'reference/api/index',
        ),
      },
      { text: 'Help', items: pages('troubleshooting', 'differences', 'security') },
      {
        text: 'Inside',
        items: [...pages('testing-pintle', 'walks'), { text: 'Decisions', link: '/decisions/' }],
      },
    ],
  },
};
