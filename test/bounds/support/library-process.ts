/** The library in a process of its own: a scenario of `library-scenarios.ts`, measured from outside while it runs. */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { ScenarioName } from './library-scenarios.ts'
import { handlesOf, memoryOf, resetPeak } from './process-figures.ts'

const program = fileURLToPath(new URL('../../dist/bounds/support/library-scenarios.js', import.meta.url))

export interface Measured {
  /** The most RSS above what it was when the scenario began, in bytes. */
  readonly grown: number
  /** Open files at the end, above what they were; those of LevelDB apart. */
  readonly handles: number
  /** What the scenario says of itself. */
  readonly said: Readonly<Record<string, number | boolean | string>>
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
  const hear = async () => ((await Promise.race([once(child, 'message'), ended])) as [Measured['said']])[0]
  try {
    await hear()
    await resetPeak(pid)
    const [before, handlesBefore] = [await memoryOf(pid), await ownHandlesOf(pid)]
    child.send('go')
    const said = await hear()
    const [{ peak }, handles] = [await memoryOf(pid), await ownHandlesOf(pid)]
    return { grown: peak - before.resident, handles: handles.length - handlesBefore.length, said }
  } finally {
    child.kill('SIGKILL')
  }
}

/** LevelDB keeps tables open as it sees fit, up to a number of its own. */
const ownHandlesOf = async (pid: number): Promise<readonly string[]> =>
  (await handlesOf(pid)).filter((link) => !link.includes('/events/'))
