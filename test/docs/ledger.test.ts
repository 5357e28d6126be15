/** Every block of the pages is run by a test, or stands in `excused.ts` with the reason. */
import { program } from '#varve/cli/program'
import { describe, expect, it } from 'vitest'
import { allBlocks, allCommands, type Block, blocksOf, commandsOf, isShell, type ShownCommand } from './blocks.ts'
import { excuseOfBlock, excuseOfCommand, isForm } from './excuses.ts'
import { excusedBlocks, excusedCommands } from './excused.ts'
import { optionsMissing } from './options.ts'
import { runElsewhere } from './run-elsewhere.ts'
import { compiledPages, pages } from './snippet-pages.ts'

const shown = ({ page, line, language, text }: Block) => `${page}:${line}: ${language}: ${text.split('\n')[0]}`

/** Blocks for no reader's machine: output and drawings. */
const isOutput = ({ language }: Block): boolean => language === 'text'

const isRun = (block: Block): boolean =>
  isShell(block) ||
  (block.language === 'ts' && pages.some(({ page }) => page === block.page)) ||
  runElsewhere.some(({ page, starts }) => page === block.page && `${block.language}\n${block.text}`.startsWith(starts))

describe('a block of a page', () => {
  it('is run, or excused', () => {
    const others = allBlocks().filter((block) => !isOutput(block) && !isRun(block))
    expect(others.filter((block) => excuseOfBlock(block) === undefined).map(shown)).toEqual([])
  })

  it('of TypeScript is compiled, also when it is not run', () => {
    const blocks = allBlocks().filter(({ language }) => language === 'ts')
    expect(blocks.filter(({ page }) => !compiledPages.includes(page)).map(shown)).toEqual([])
  })

  it('has an excuse only if there is such a block or command', () => {
    const blocks = allBlocks().filter((block) => !isShell(block) && !isRun(block))
    const unused = excusedBlocks.filter((excuse) => !blocks.some((block) => excuseOfBlock(block) === excuse))
    const commands = allCommands()
    const idle = excusedCommands.filter((excuse) => !commands.some((command) => excuseOfCommand(command) === excuse))
    expect([...unused, ...idle].map(({ page, starts }) => `${String(page)}: ${starts}`)).toEqual([])
  })
})

describe('a command of a page', () => {
  it('that is not run, or shows a form, has options that there are', () => {
    const varve = program({} as Parameters<typeof program>[0], '1.0.0', () => undefined)
    const commands = allCommands().filter((command) => isForm(command) || excuseOfCommand(command) !== undefined)
    const wrong = commands.flatMap((command: ShownCommand) =>
      optionsMissing(varve, command.text).map((missing) => `${command.page}:${command.block}: ${missing}`),
    )
    expect(wrong).toEqual([])
  })
})

it('a block that nobody runs is found', () => {
  const [block] = blocksOf('README.md').filter(isShell)
  const other = { ...(block as Block), language: 'js', text: 'x()\n' }
  expect([isRun(other), excuseOfBlock(other)]).toEqual([false, undefined])
  expect(commandsOf({ ...other, text: "a 'b\nc' \\\n d # e\n# f\n\ng\n" }).map(({ text }) => text)).toEqual([
    "a 'b\nc' \\\n d # e",
    'g',
  ])
})
