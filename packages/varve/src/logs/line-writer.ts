/** Appends lines to a file or to standard output. Memory is bounded: if the medium is slow, lines are dropped and counted. */
import { StorageError } from '@varve/core'
import sonicBoom, { type SonicBoom } from 'sonic-boom'
import { open } from '../files/patient-files.ts'
import { droppedLine, lineCount } from './dropped-lines.ts'

/** The name of standard output. */
const standardOutput = '-'

export interface LineWriterOptions {
  /** The path of a file that is created if there is none, or `-` for standard output. */
  readonly target: string
  /** Syncs the file so soon after a line, in milliseconds. @default when the writer is closed */
  readonly syncMs?: number
  /** The most bytes that wait to be written. @default 4 MiB */
  readonly waitingMax?: number
  /** Receives what is wrong with the file, once for as long as it lasts. */
  readonly onProblem?: (text: string) => void
}

/** How long closing waits for a medium that takes nothing, in milliseconds. */
const lastMs = 3000

export class LineWriter {
  readonly #file: SonicBoom
  readonly #options: LineWriterOptions
  #dropped = 0
  #problem: string | undefined
  #sync: NodeJS.Timeout | undefined
  #closing: Promise<void> | undefined

  private constructor(file: SonicBoom, options: LineWriterOptions) {
    this.#file = file
    this.#options = options
    file.on('error', (error: Error) => this.#failed(error.message))
    file.on('drop', (lines: string) => this.#drop(lines))
    file.on('drain', () => this.#drained())
  }

  /** @throws StorageError `InvalidArgument` for a file that cannot be written */
  static async open(options: LineWriterOptions): Promise<LineWriter> {
    const { target, waitingMax = 4 * 2 ** 20 } = options
    if (target !== standardOutput) await assertWritable(target)
    // A minimum of one byte writes every line at once, and lets the writer be synced.
    const how = { append: true, mode: 0o600, minLength: 1, maxLength: waitingMax }
    const file = new sonicBoom.SonicBoom({ ...how, dest: target === standardOutput ? 1 : target })
    return new LineWriter(file, options)
  }

  /** Appends whole lines, each with its newline. */
  write(lines: string): void {
    if (this.#closing !== undefined) return
    this.#file.write(lines)
    const { syncMs } = this.#options
    if (syncMs === undefined || this.#sync !== undefined) return
    this.#sync = setTimeout(() => {
      this.#sync = undefined
      this.#file.flush((error) => {
        if (error) this.#failed(error.message)
      })
    }, syncMs).unref()
  }

  /** Opens the file again by its name, after a program moved it. Standard output stays. */
  reopen(): void {
    if (this.#options.target !== standardOutput && this.#closing === undefined) this.#file.reopen()
  }

  /** Resolves when everything was written and synced, or the medium did not take it in time. Idempotent. */
  close(): Promise<void> {
    return (this.#closing ??= this.#close())
  }

  async #close(): Promise<void> {
    clearTimeout(this.#sync)
    if (this.#dropped > 0) this.#reportDropped()
    let timer: NodeJS.Timeout | undefined
    await new Promise<void>((resolve) => {
      timer = setTimeout(resolve, lastMs)
      this.#file.once('close', resolve)
      this.#file.once('error', () => resolve())
      this.#file.end()
    })
    clearTimeout(timer)
  }

  #drop(lines: string): void {
    if (this.#dropped === 0) this.#options.onProblem?.(`${this.#options.target} is too slow: lines are dropped.`)
    this.#dropped += lineCount(lines)
  }

  #drained(): void {
    this.#problem = undefined
    if (this.#dropped > 0) this.#reportDropped()
  }

  #reportDropped(): void {
    const line = droppedLine(this.#dropped)
    this.#dropped = 0
    this.#file.write(line)
  }

  #failed(text: string): void {
    if (this.#problem === text) return
    this.#problem = text
    this.#options.onProblem?.(`${this.#options.target} cannot be written: ${text}`)
  }
}

async function assertWritable(path: string): Promise<void> {
  try {
    const file = await open(path, 'a', 0o600)
    await file.close()
  } catch (cause) {
    const message = `${path} cannot be written: ${(cause as Error).message}`
    throw new StorageError('InvalidArgument', message, { cause })
  }
}
