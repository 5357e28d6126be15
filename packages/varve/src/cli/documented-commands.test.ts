import { readFile } from 'node:fs/promises'
import { expect, it } from 'vitest'
import { program } from './program.ts'
import type { CliContext } from './support/context.ts'

it('docs/cli.md has each command in its table', async () => {
  const page = await readFile(new URL('../../../../docs/cli.md', import.meta.url), 'utf8')
  const cells = page
    .slice(0, page.indexOf('Every command except'))
    .split('\n')
    .filter((line) => line.startsWith('| ['))
    .map((line) => line.slice(0, line.indexOf('](')))
  const documented = new Set(cells.join(' ').match(/(?<=[`,] ?)[a-z][a-z-]+/g))
  const { commands } = program({} as CliContext, '1.0.0', () => undefined)
  expect(commands.map((command) => command.name()).filter((name) => !documented.has(name))).toEqual([])
})
