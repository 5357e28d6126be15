import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { cp } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitepress'
import { sections } from '../sections.ts'
import { sourceLinks } from '../source-links.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const docs = join(root, 'docs')

const pagesIn = (folder: string) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.md'))
    .map((path) => path.slice(0, -'.md'.length).replaceAll('\\', '/'))
    .sort()

const decisions = pagesIn(join(docs, 'adr')).map((page) => `adr/${page}`)
const apiReference = join(docs, 'api')

function titleOf(page: string): string {
  const heading = /^# (.+)$/m.exec(readFileSync(join(docs, `${page}.md`), 'utf8'))?.[1]
  if (heading === undefined) throw new Error(`docs/${page}.md has no heading`)
  return heading
}

const items = (pages: readonly string[]) => pages.map((page) => ({ text: titleOf(page), link: `/docs/${page}` }))

function refuseUnlisted(): void {
  const listed = sections.flatMap((section) => section.pages)
  const twice = listed.filter((page, index) => listed.indexOf(page) !== index)
  const missing = pagesIn(docs).filter((page) => !/^(adr|api)\//.test(page) && !listed.includes(page))
  if (twice.length > 0) throw new Error(`site/sections.ts lists twice: ${twice.join(', ')}`)
  if (missing.length > 0) throw new Error(`site/sections.ts does not list: ${missing.join(', ')}`)
}

refuseUnlisted()

/** The site is the pages of the repository as they are, so what reads well there is what is published. */
export default defineConfig({
  title: 'Varve',
  description: 'An event-sourced, versioned object store that a Node or Electron app embeds, and that serves S3.',
  srcDir: root,
  srcExclude: ['{.changeset,node_modules,packages,scripts,site,tools}/**', 'CODE_OF_CONDUCT.md'],
  outDir: fileURLToPath(new URL('../dist', import.meta.url)),
  cacheDir: fileURLToPath(new URL('../node_modules/.cache', import.meta.url)),
  rewrites: { 'README.md': 'index.md' },
  base: process.env['VARVE_SITE_BASE'] ?? '/',
  cleanUrls: false,
  lastUpdated: false,
  markdown: { config: sourceLinks(root) },
  themeConfig: {
    search: { provider: 'local' },
    outline: { level: [2, 3] },
    nav: [
      { text: 'Tutorial', link: '/docs/tutorial' },
      { text: 'Guides', link: '/docs/embedding' },
      { text: 'Reference', link: '/docs/cli' },
      { text: 'Explanation', link: '/docs/durability' },
      ...(existsSync(apiReference) ? [{ text: 'API', link: '/api/index.html', target: '_self' }] : []),
      { text: 'Changes', link: '/CHANGELOG' },
    ],
    sidebar: [
      ...sections.map(({ title, pages }) => ({ text: title, collapsed: false, items: items(pages) })),
      { text: 'Architecture', link: '/ARCHITECTURE' },
      { text: 'Decisions', collapsed: true, items: items(decisions) },
    ],
  },
  async buildEnd({ outDir }) {
    if (existsSync(apiReference)) await cp(apiReference, join(outDir, 'api'), { recursive: true })
  },
})
