/** The library in a process of its own: a scenario of `library-scenarios.ts`, measured from outside while it runs. */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { ScenarioName } from './library-scenarios.ts'
import { handlesOf, memoryOf, resetPeak } from './process-figures.ts'

const program = fileURLToPath(new URL('../../dist/bounds/support/library-scenarios.js', import.meta.url))

const lookEveryMs = 25

export interface Measured {
  /** The most RSS above what it was when the scenario began, in bytes. */
  readonly grown: number
  /** The same of its own memory, looked at now and then: LevelDB maps its tables, and more keys are more tables. */
  readonly ownGrown: number
  /** Open files at the end, above what they were; those of LevelDB apart. */
  readonly handles: number
  /** What the scenario printed. */
  readonly output: Readonly<Record<string, number | boolean | string>>
}

/** Runs a scenario in a new store. @throws Error when it fails */
export async function measure(
  name: ScenarioName,
  directory: string,
  size: number,
  preload?: string,
): Promise<Measured> {
  const execArgv = preload === undefined ? [] : ['--import', preload]
  const child = fork(program, [name, directory, String(size)], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    execArgv,
  })
  const pid = child.pid as number
  const ended = once(child, 'exit').then(([status]) => {
    throw new Error(`The scenario ${name} ended with ${String(status)}.`)
  })
  ended.catch(() => undefined)
  const hear = async () => ((await Promise.race([once(child, 'message'), ended])) as [Measured['output']])[0]
  try {
    await hear()
    await resetPeak(pid)
    const [before, handlesBefore] = [await memoryOf(pid), await ownHandlesOf(pid)]
    let own = before.own
    const look = async () => {
      // A process that ended is heard of otherwise.
      const now = await memoryOf(pid).catch(() => before)
      own = Math.max(own, now.own)
    }
    const watch = setInterval(() => void look(), lookEveryMs)
    child.send('go')
    const output = await hear().finally(() => clearInterval(watch))
    const { peak } = await memoryOf(pid)
    return {
      grown: peak - before.resident,
      ownGrown: own - before.own,
      handles: await settledHandles(pid, handlesBefore.length),
      output,
    }
  } finally {
    child.kill('SIGKILL')
  }
}

/** LevelDB keeps tables open as it sees fit, up to a number of its own. */
const ownHandlesOf = async (pid: number): Promise<readonly string[]> =>
  (await handlesOf(pid)).filter((link) => !link.includes('/events/'))

const settlingMs = 2000

/** How many more than `before` stay open: the witness, which is written once a second, may be open for a moment. */
async function settledHandles(pid: number, before: number): Promise<number> {
  const until = performance.now() + settlingMs
  for (;;) {
    const more = (await ownHandlesOf(pid)).length - before
    if (more <= 0 || performance.now() > until) return more
    await delay(50)
  }
}
