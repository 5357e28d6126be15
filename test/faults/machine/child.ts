/** A program of ours in a process of its own. It receives and sends messages, one JSON line each. */
import { type ChildProcess, spawn } from 'node:child_process'
import { readdir, readFile } from 'node:fs/promises'
import { createInterface } from 'node:readline'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'

export interface End {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  readonly stderr: string
}

/** Tests run on the sources, and the programs they start are the built ones. */
const programs = new URL(import.meta.url.endsWith('.ts') ? '../../dist/faults/' : '../', import.meta.url)

export const programPath = (name: string): string => fileURLToPath(new URL(name, programs))

/** Children that run. They are killed when this process exits, even one that is stopped. */
const alive = new Set<ChildProcess>()
process.on('exit', () => {
  for (const child of alive) child.kill('SIGKILL')
})

export class Child<Line extends object> {
  readonly #process: ChildProcess
  readonly #listeners = new Set<(line: Line) => void>()
  /** Resolves when the process has ended and all its output was read. */
  readonly ended: Promise<End>

  /**
   * @param program such as `load/writer.js`
   * @param within a command that runs the program, such as `unshare --net`
   */
  constructor(program: string, env: Readonly<Record<string, string>> = {}, within: readonly string[] = []) {
    const [command = process.execPath, ...before] = within
    const args = within.length === 0 ? [] : [...before, process.execPath]
    this.#process = spawn(command, [...args, programPath(program)], { env: { ...process.env, ...env }, stdio: 'pipe' })
    alive.add(this.#process)
    let stderr = ''
    this.#process.stderr?.setEncoding('utf8').on('data', (text: string) => (stderr += text))
    // The process may already be gone. Its end explains more than this error.
    this.#process.stdin?.on('error', () => undefined)
    createInterface({ input: this.#process.stdout as NodeJS.ReadableStream }).on('line', (text) => {
      const line = JSON.parse(text) as Line
      for (const listener of this.#listeners) listener(line)
    })
    this.ended = new Promise((resolve) => {
      this.#process.once('close', (code, signal) => {
        alive.delete(this.#process)
        resolve({ code, signal, stderr })
      })
    })
  }

  get pid(): number {
    return this.#process.pid as number
  }

  report(line: object): void {
    this.#process.stdin?.write(`${JSON.stringify(line)}\n`)
  }

  hear(listener: (line: Line) => void): void {
    this.#listeners.add(listener)
  }

  /** Resolves with the next such line. @throws Error when the process ends without one. */
  async line(wanted: (line: Line) => boolean): Promise<Line> {
    const found = new Promise<Line>((resolve) => {
      const listener = (line: Line) => {
        if (!wanted(line)) return
        this.#listeners.delete(listener)
        resolve(line)
      }
      this.#listeners.add(listener)
    })
    return Promise.race([
      found,
      this.ended.then(({ code, signal, stderr }): never => {
        throw new Error(`The process ended early (${signal ?? code}): ${stderr}`)
      }),
    ])
  }

  /**
   * SIGSTOP, and resolves when every thread stands still: then nothing is acknowledged any more, whatever becomes of the
   * disk. @throws Error when one goes on for more than five seconds.
   */
  async freeze(): Promise<void> {
    this.#process.kill('SIGSTOP')
    for (const until = performance.now() + 5000; !(await standsStill(this.pid)); await delay(1)) {
      if (performance.now() > until) throw new Error('A thread of the process would not stop.')
    }
  }

  async kill(): Promise<End> {
    this.#process.kill('SIGKILL')
    return this.ended
  }
}

async function standsStill(pid: number): Promise<boolean> {
  const threads = await readdir(`/proc/${pid}/task`)
  const stats = await Promise.all(threads.map((thread) => readFile(`/proc/${pid}/task/${thread}/stat`, 'utf8')))
  // The state follows the name, which is in brackets and may hold anything.
  return stats.every((stat) => /^[TtZX]$/.test(stat.slice(stat.lastIndexOf(')') + 2)[0] ?? ''))
}
