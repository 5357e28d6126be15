/** Collects lines, makes their text together, and passes it on. */
import { droppedLine } from './dropped-lines.ts'
import { jsonLine, type LoggedLine } from './json-line.ts'

/** Made one after another, lines take a fraction of the time that they take between other work. */
const madeTogether = 64
/** Also passed on when there are so many characters. */
const batchMax = 64 * 1024
const waitingMax = 4 * 2 ** 20

export class LineBatch {
  readonly #pass: (lines: string) => Promise<void>
  readonly #everyMs: number
  #unmade: LoggedLine[] = []
  #lines = ''
  #dropped = 0
  #timer: NodeJS.Timeout | undefined
  #passing: Promise<void> | undefined

  /** `pass` resolves when it can take more. A line waits for others for `everyMs` milliseconds. */
  constructor(pass: (lines: string) => Promise<void>, everyMs: number) {
    this.#pass = pass
    this.#everyMs = everyMs
  }

  readonly write = (line: LoggedLine): void => {
    this.#unmade.push(line)
    if (this.#unmade.length >= madeTogether) this.#make()
    if (this.#lines.length >= batchMax) void this.#flush()
    else this.#timer ??= setTimeout(() => void this.#flush(), this.#everyMs).unref()
  }

  /** Resolves when all lines were passed on. */
  async end(): Promise<void> {
    await this.#passing
    await this.#flush()
  }

  #make(): void {
    const unmade = this.#unmade
    this.#unmade = []
    for (const each of unmade) {
      const line = jsonLine(each)
      if (this.#lines.length + line.length > waitingMax) this.#dropped++
      else this.#lines += line
    }
  }

  async #flush(): Promise<void> {
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#make()
    // Lines that come meanwhile wait, so that a slow owner holds up one batch and not many.
    if (this.#passing !== undefined || this.#lines === '') return
    const lines = this.#dropped > 0 ? this.#lines + droppedLine(this.#dropped) : this.#lines
    this.#lines = ''
    this.#dropped = 0
    this.#passing = this.#pass(lines)
    await this.#passing
    this.#passing = undefined
    if (this.#lines !== '') await this.#flush()
  }
}
