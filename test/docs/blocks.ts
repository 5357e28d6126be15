/** The fenced blocks of the pages that users read, and the commands of those that are for a shell. */
import { files, isPage, read } from '../tidy/tree.ts'

export interface Block {
  readonly page: string
  /** Of the fence; the first line of a page is 1. */
  readonly line: number
  /** What follows the fence: `sh`, or `js [app/app.mjs]`. */
  readonly language: string
  readonly text: string
}

/** A command of a block, with its continuation lines and its comment, as the page has it. */
export interface ShownCommand {
  readonly page: string
  readonly block: number
  readonly text: string
}

/** Notes for those who develop Varve are not followed by users. */
const isForUsers = (page: string): boolean => !/^(\.changeset\/|docs\/adr\/|CHANGELOG\.md|ARCHITECTURE\.md)/.test(page)

const pages: readonly string[] = files.filter((path) => isPage(path) && isForUsers(path))

export function blocksOf(page: string): readonly Block[] {
  const text = read(page)
  return [...text.matchAll(/^( *)```([^\n]*)\n([^]*?)^\1```$/gm)].map((found) => ({
    page,
    line: text.slice(0, found.index).split('\n').length,
    language: (found[2] ?? '').trim(),
    text: (found[3] ?? '').replaceAll(new RegExp(`^${found[1] ?? ''}`, 'gm'), ''),
  }))
}

export const allBlocks = (): readonly Block[] => pages.flatMap(blocksOf)

const shells: readonly string[] = ['sh', 'bash', 'console']
export const isShell = ({ language }: Block): boolean => shells.includes(language)

/** Whether a shell would wait for more lines. */
function isOpen(text: string): boolean {
  if (text.endsWith('\\')) return true
  const plain = text.replaceAll(/(^|\s)#.*$/gm, '$1')
  const count = (form: RegExp): number => (plain.match(form) ?? []).length
  return count(/'/g) % 2 === 1 || count(/\{$/gm) > count(/^\}/gm)
}

export function commandsOf({ page, line, text }: Block): readonly ShownCommand[] {
  const commands: string[] = []
  let open = ''
  for (const one of text.split('\n')) {
    open = open === '' ? one : `${open}\n${one}`
    if (isOpen(open)) continue
    if (open.trim() !== '' && !open.trim().startsWith('#')) commands.push(open)
    open = ''
  }
  if (open !== '') throw new Error(`${page}:${line}: a command has no end: ${open}`)
  return commands.map((one) => ({ page, block: line, text: one }))
}

export const allCommands = (): readonly ShownCommand[] => allBlocks().filter(isShell).flatMap(commandsOf)
