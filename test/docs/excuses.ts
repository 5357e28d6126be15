/** Which excuse a block or a command has. */
import type { Block, ShownCommand } from './blocks.ts'
import { type Excuse, excusedBlocks, excusedCommands, excusedPrograms } from './excused.ts'

const isOn = (of: Excuse['page'], page: string): boolean => (typeof of === 'string' ? of === page : of.test(page))

export const excuseOfBlock = ({ page, language, text }: Block): Excuse | undefined =>
  excusedBlocks.find((excuse) => isOn(excuse.page, page) && `${language}\n${text}`.startsWith(excuse.starts))

/** A command with its end of line, so that an excuse can name the whole of it. */
export const withEnd = (text: string): string => `${text.trim().replace(/\s+#.*$/, '')}\n`

export function excuseOfCommand({ page, text }: ShownCommand): Excuse | undefined {
  const command = withEnd(text)
  const listed = excusedCommands.find(({ page: of, starts }) => isOn(of, page) && command.startsWith(starts))
  if (listed !== undefined) return listed
  // Variables may stand before the program.
  const words = command.split(/\s+/).filter((word) => !/^[A-Z_]+=/.test(word))
  const why = excusedPrograms[words[0] ?? '']
  return why === undefined ? undefined : { page, starts: words[0] ?? '', why }
}

/** Places to fill in, and brackets around what may be left out: a form of commands, and no command. */
export const isForm = ({ text }: ShownCommand): boolean =>
  /^varve [^#]*(\[-|\[s3|\(-|…|<command>|\b[A-Z][A-Z-]{2,}\b(?![-\w]*=)|--\w+ [A-Z]{2,}|\bID\b)/.test(text) &&
  !/\$\{?[A-Z]/.test(text)
