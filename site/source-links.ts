import { existsSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import type { MarkdownOptions } from 'vitepress'

type Markdown = Parameters<NonNullable<MarkdownOptions['config']>>[0]

/**
 * Pages link to sources and folders, which the site does not contain: it shows the words of the link, with the path as their
 * title. A path that the repository does not contain either fails the build, as a dead link between pages does.
 */
export const sourceLinks = (root: string) => (markdown: Markdown) => {
  markdown.core.ruler.push('source-links', (state) => {
    const page = String(state.env.path)
    for (const { children } of state.tokens) {
      let open = false
      for (const token of children ?? []) {
        const href = token.type === 'link_open' ? (token.attrGet('href') ?? '') : ''
        if (isSource(href)) {
          open = true
          token.tag = 'span'
          token.attrs = [['title', sourceOf(root, page, href)]]
        } else if (token.type === 'link_close' && open) {
          open = false
          token.tag = 'span'
        }
      }
    }
  })
}

const isSource = (href: string) => href !== '' && !/^(#|[a-z]+:)/i.test(href) && !/\.md(#.*)?$/.test(href)

function sourceOf(root: string, page: string, href: string): string {
  const path = relative(root, join(dirname(page), href.replace(/#.*/, '')))
  if (!existsSync(join(root, path))) throw new Error(`${relative(root, page)} links to ${href}, which is not there`)
  return path
}
