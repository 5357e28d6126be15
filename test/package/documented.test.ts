/** The recipes of a document are those that the tests run. */
import { readdirSync, readFileSync } from 'node:fs'
import { join, relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'

const root = fileURLToPath(new URL('../..', import.meta.url))
const consumers = join(root, 'test/consumers')

describe('docs/bundling.md', () => {
  it('shows the recipes as they are tested, and all of them', () => {
    const page = readFileSync(join(root, 'docs/bundling.md'), 'utf8')
    const shown = [...page.matchAll(/^```\w+ \[(.+)\]\n([\s\S]*?)^```$/gm)].map(([, file, text]) => [file, text])
    const tested = readdirSync(consumers, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => join(parentPath, name))
    const files = tested.map((path) => [relative(consumers, path).replaceAll(sep, '/'), readFileSync(path, 'utf8')])
    expect(Object.fromEntries(shown)).toEqual(Object.fromEntries(files))
  })
})
