/** Collects the lines of a worker, and passes them to the owner of the log together. */
import { droppedLine, lineCount } from './dropped-lines.ts'
import type { LineSink } from './json-logger.ts'

/** Also passed on when there are so many characters. */
const batchMax = 64 * 1024
const waitingMax = 4 * 2 ** 20

export class LineBatch implements LineSink {
  readonly #pass: (lines: string) => Promise<void>
  readonly #everyMs: number
  #lines = ''
  #dropped = 0
  #timer: NodeJS.Timeout | undefined
  #passing: Promise<void> | undefined

  /** `pass` resolves when it can take more. A line waits for others for `everyMs` milliseconds. */
  constructor(pass: (lines: string) => Promise<void>, everyMs: number) {
    this.#pass = pass
    this.#everyMs = everyMs
  }

  write(line: string): void {
    if (this.#lines.length + line.length > waitingMax) {
      this.#dropped += lineCount(line)
      return
    }
    this.#lines += line
    if (this.#lines.length >= batchMax) void this.#flush()
    else this.#timer ??= setTimeout(() => void this.#flush(), this.#everyMs).unref()
  }

  /** Resolves when all lines were passed on. */
  async end(): Promise<void> {
    await this.#passing
    await this.#flush()
  }

  async #flush(): Promise<void> {
    clearTimeout(this.#timer)
    this.#timer = undefined
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
