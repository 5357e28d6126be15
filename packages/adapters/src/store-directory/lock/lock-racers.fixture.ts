/** Starts racers: processes of their own, as two programs that open one store would be. */
import { type ChildProcess, spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

export interface Answer {
  readonly won?: boolean
  readonly code?: string
  readonly pid?: number
}

export interface Order {
  /** Of the directory, in any spelling. */
  readonly path: string
  /** False: as on a platform for which the addon has no build. */
  readonly addon: boolean
}

export interface Racer {
  readonly pid: number
  ask(order: Order): Promise<Answer>
  /** kill -9; resolves when the process is gone. */
  kill(): Promise<void>
}

/** As built: another process does not compile the sources. */
const program = fileURLToPath(import.meta.resolve('../../../dist/store-directory/lock/lock-racer.fixture.js'))

/** Resolves when every one is up and waits for its turn. `within`: a command that runs them, such as `unshare --net`. */
export const startRacers = (count: number, within: readonly string[] = []): Promise<Racer[]> =>
  Promise.all(Array.from({ length: count }, () => startRacer(within)))

async function startRacer(within: readonly string[]): Promise<Racer> {
  const [command, ...before] = within
  const args = [...(command === undefined ? [] : [...before, process.execPath]), program]
  const child: ChildProcess = spawn(command ?? process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] })
  const gone = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  const lines = createInterface({ input: child.stdout as NodeJS.ReadableStream })[Symbol.asyncIterator]()
  const answer = async () => JSON.parse(String((await lines.next()).value)) as Answer
  await answer()
  return {
    pid: child.pid as number,
    ask(order) {
      child.stdin?.write(`${JSON.stringify(order)}\n`)
      return answer()
    },
    kill() {
      child.kill('SIGKILL')
      return gone
    },
  }
}
