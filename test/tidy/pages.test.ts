/** Pages: one title each, links that lead somewhere, and no error without a word about it. */
import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { type Finding, files, findLines, isPage, read, report, root } from './tree.ts'

const pages = files.filter(isPage)

/** Fenced code blanked out, line numbers kept: a shell comment is no title and an array index no link. */
function prose(text: string): string {
  let fence = ''
  const lines = text.split('\n').map((line) => {
    const mark = /^\s*(`{3,}|~{3,})/.exec(line)?.[1] ?? ''
    if (fence === '') {
      fence = mark
      return mark === '' ? line : ''
    }
    if (mark.startsWith(fence)) fence = ''
    return ''
  })
  return lines.join('\n')
}

const titles = (text: string): Finding[] => findLines(prose(text), /^# \S/)

/** The anchors of a page: those that GitHub makes from its headings, and those that it has itself. */
function anchors(text: string): ReadonlySet<string> {
  const found = new Set([...text.matchAll(/<a (?:id|name)="([^"]+)">/g)].map(([, id = '']) => id))
  for (const { text: heading } of findLines(prose(text), /^#{1,6} \S/)) {
    const words = heading
      .replace(/^#+ /, '')
      .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
      .toLowerCase()
      .replace(/[^\p{L}\p{N}_\- ]/gu, '')
      .replaceAll(' ', '-')
    let anchor = words
    for (let n = 1; found.has(anchor); n++) anchor = `${words}-${n}`
    found.add(anchor)
  }
  return found
}

const known = new Map<string, ReadonlySet<string>>()

function anchorsOf(page: string): ReadonlySet<string> {
  const found = known.get(page) ?? anchors(read(page))
  known.set(page, found)
  return found
}

/** Links to headings of pages that have no such heading. */
function deadAnchors(text: string, path: string): Finding[] {
  return prose(text)
    .split('\n')
    .flatMap((line, index) =>
      [...line.replace(/`[^`]*`/g, '').matchAll(/\]\(([^)\s#:]*)#([^)\s]+)\)/g)]
        .map(([, file = '', anchor = '']) => ({ page: file === '' ? path : join(dirname(path), file), anchor }))
        .filter(({ page, anchor }) => pages.includes(page) && !anchorsOf(page).has(anchor))
        .map(({ page, anchor }) => ({ line: index + 1, text: `${page}#${anchor}` })),
    )
}

/** Relative links whose file is not there. Addresses elsewhere are not looked at. */
function deadLinks(text: string, path: string): Finding[] {
  return prose(text)
    .split('\n')
    .flatMap((line, index) =>
      [...line.replace(/`[^`]*`/g, '').matchAll(/\]\(<?([^)\s>]+)>?[^)]*\)/g)]
        .map(([, target = '']) => target.replace(/#.*$/, ''))
        .filter((target) => target !== '' && !/^[a-z][a-z+.-]*:/i.test(target))
        .filter((target) => !existsSync(join(root, dirname(path), decodeURIComponent(target))))
        .map((target) => ({ line: index + 1, text: target })),
    )
}

describe('pages', () => {
  it('have one title each, at the top', () => {
    const isChangeset = (path: string) => /^\.changeset\/(?!README)/.test(path)
    const wrong = pages.filter((path) => {
      if (isChangeset(path)) return false
      const found = titles(read(path))
      return found.length !== 1 || prose(read(path)).trimStart().split('\n')[0] !== found[0]?.text
    })
    expect(wrong).toEqual([])
  })

  it('link to files that exist', () => {
    expect(report(pages, deadLinks)).toEqual([])
  })

  it('link to headings that exist', () => {
    expect(report(pages, deadAnchors)).toEqual([])
  })

  it('are judged by scanners that can see', () => {
    expect([...anchors('# One `two`: [three](x.md)\n\n## A\n\n## A\n')]).toEqual(['one-two-three', 'a', 'a-1'])
    expect(deadAnchors('[a](#nowhere), [b](../../docs/nodes.md#what-is-missing)', 'test/tidy/x.md')).toEqual([])
    expect(deadAnchors('[a](nodes.md#nowhere)', 'docs/cli.md')).toEqual([{ line: 1, text: 'docs/nodes.md#nowhere' }])
    expect(titles('# One\n\n```sh\n# not a title\n```\n\n# Two\n')).toHaveLength(2)
    expect(
      deadLinks('[here](tree.ts) [there](nowhere.md#x) [web](https://example.com) `[0](1)`', 'test/tidy/x.md'),
    ).toEqual([{ line: 1, text: 'nowhere.md' }])
  })
})

describe('docs/errors.md', () => {
  const unions = read('packages/core/src/base/error-codes.ts').split('export type ErrorCode =')[0] ?? ''
  const codes = [...unions.matchAll(/^\s*\| '([A-Za-z]+)'/gm)].map(([, code = '']) => code)

  it('has a word about every code of core', () => {
    expect(codes.length).toBeGreaterThan(30)
    expect(files).toContain('docs/errors.md')
    const page = read('docs/errors.md')
    expect(codes.filter((code) => !page.includes(`\`${code}\``))).toEqual([])
  })
})
