/** Starts racers: processes of their own, as two programs that open one store would be. */
import { type ChildProcess, spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

export interface Answer {
  readonly won?: boolean
  readonly code?: string
  readonly pid?: number
}

export interface Racer {
  readonly pid: number
  /** Asks for the lock of the directory under this spelling. */
  ask(path: string): Promise<Answer>
  /** kill -9; resolves when the process is gone. */
  kill(): Promise<void>
}

const program = fileURLToPath(import.meta.resolve('./lock-racer.fixture.ts'))

/** Resolves when every one is up and waits to be asked. */
export const startRacers = (count: number): Promise<Racer[]> =>
  Promise.all(Array.from({ length: count }, () => startRacer()))

async function startRacer(): Promise<Racer> {
  const child: ChildProcess = spawn(process.execPath, ['--import', 'tsx', program], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const gone = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  const lines = createInterface({ input: child.stdout as NodeJS.ReadableStream })[Symbol.asyncIterator]()
  const answer = async () => JSON.parse(String((await lines.next()).value)) as Answer
  await answer()
  return {
    pid: child.pid as number,
    ask(path) {
      child.stdin?.write(`${path}\n`)
      return answer()
    },
    kill() {
      child.kill('SIGKILL')
      return gone
    },
  }
}
