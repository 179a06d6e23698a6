import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const DOCS = join(import.meta.dirname, '..', 'pages');

/** Returns an entry of the sidebar for a page of the site, with its own heading. */
function page(name) {
  const [, text = name] = /^# (.*)$/m.exec(readFileSync(join(DOCS, `${name}.md`), 'utf8')) ?? [];
  return { text, link: `/${name}` };
}

/** Pages that exist; some guides are written later. */
const pages = (...names) => names.filter((name) => existsSync(join(DOCS, `${name}.md`))).map(page);

const decisions = readdirSync(join(DOCS, 'decisions'))
  .filter((name) => /^\d{4}-.*\.md$/.test(name))
  .sort()
  .map((name) => page(`decisions/${name.slice(0, -'.md'.length)}`));

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
  markdown: { html: false },
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
          'moving-the-stored-version',
          'console',
          'sharding',
          'etcd',
          'operating',
          'backup-and-repair',
          'coming-from-kubebuilder',
          'coming-from-pepr',
          'migrating-from-client-node',
        ),
      },
      { text: 'Reference', items: pages('reference/commands', 'flags', 'markers', 'audit') },
      { text: 'Help', items: pages('troubleshooting', 'differences', 'security') },
      { text: 'Inside', items: pages('testing-pintle', 'walks') },
      { text: 'Decisions', collapsed: true, items: decisions },
    ],
  },
};
