/** Colours and relative times, for people at a terminal. Pipes and files get neither, so programs read the same text everywhere. */
import { inspect } from 'node:util'
import { unitMs } from './parse-values.ts'

export type Colour = 'green' | 'red' | 'yellow' | 'magenta' | 'blue'

export interface TerminalStyle {
  paint(colour: Colour, text: string): string
  /** How long ago a time was, in brackets after a space. Empty for a time ahead. */
  ago(time: Date): string
}

export const plainStyle: TerminalStyle = { paint: (_colour, text) => text, ago: () => '' }

interface StyledStream {
  readonly isTTY?: boolean
}

/** `NO_COLOR` with any text, and `TERM=dumb`, turn colours off: see no-color.org. */
export function terminalStyle(
  stream: StyledStream,
  env: Readonly<Record<string, string | undefined>>,
  now: () => number = Date.now,
): TerminalStyle {
  if (stream.isTTY !== true) return plainStyle
  const isPlain = (env['NO_COLOR'] ?? '') !== '' || env['TERM'] === 'dumb'
  return {
    paint: isPlain ? plainStyle.paint : painted,
    ago(time) {
      const text = relativeTime(time.getTime(), now())
      return text === '' ? '' : ` (${text})`
    },
  }
}

/** `styleText` of Node would look at standard output, also for a text on standard error. */
function painted(colour: Colour, text: string): string {
  const [on, off] = inspect.colors[colour] as readonly [number, number]
  return `\u001b[${on}m${text}\u001b[${off}m`
}

const units = (['w', 'd', 'h', 'min', 's'] as const).map((unit) => [unit, unitMs[unit]] as const)

/** In the form that options with a moment take: `10min ago`. Empty for a time ahead. */
export function relativeTime(time: number, now: number): string {
  const passed = now - time
  if (passed < 0) return ''
  const [unit, ms] = units.find(([, each]) => passed >= each) ?? ['s', unitMs.s]
  return `${Math.floor(passed / ms)}${unit} ago`
}

/** What a line that begins with a sign does: adds, removes, changes, or leaves something as it is. */
const signs: Readonly<Record<string, Colour>> = { '+': 'green', '-': 'red', '~': 'yellow', '!': 'magenta' }

export function paintedChange({ paint }: TerminalStyle, line: string): string {
  const colour = signs[line.charAt(0)]
  return colour === undefined ? line : paint(colour, line)
}
