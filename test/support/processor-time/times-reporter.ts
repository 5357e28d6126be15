import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Reporter, TestModule } from 'vitest/node'

const shown = 10

interface Time {
  readonly tier: string
  readonly seconds: number
}

const inSeconds = (ms: number): number => Math.round(ms / 100) / 10
const text = (seconds: number): string => `${seconds.toFixed(1)} s`

/** Prints the processor time of a run and the files that used most of it, and keeps the last time of each file. */
export class TimesReporter implements Reporter {
  readonly #record: string

  /** @param record JSON file of the times by the path of the test file */
  constructor(record: string) {
    this.#record = record
  }

  onTestRunEnd(modules: readonly TestModule[]): void {
    const times = modules.flatMap((module) => {
      const { processorTime } = module.meta()
      const tier = module.project.name.replace('-alone', '')
      // A file whose tests are all skipped has none.
      return processorTime === undefined
        ? []
        : [[module.relativeModuleId, { tier, seconds: inSeconds(processorTime) }] as const]
    })
    print(times)
    // A long suite runs the same files with larger numbers.
    if (process.env['VARVE_SUITE'] === undefined) this.#keep(times)
  }

  #keep(times: readonly (readonly [path: string, time: Time])[]): void {
    mkdirSync(dirname(this.#record), { recursive: true })
    writeFileSync(this.#record, JSON.stringify({ ...this.#kept(), ...Object.fromEntries(times) }, undefined, 1))
  }

  #kept(): Readonly<Record<string, Time>> {
    try {
      return JSON.parse(readFileSync(this.#record, 'utf8')) as Readonly<Record<string, Time>>
    } catch {
      return {}
    }
  }
}

function print(times: readonly (readonly [path: string, time: Time])[]): void {
  const { user, system } = process.cpuUsage()
  const total = times.reduce((sum, [, { seconds }]) => sum + seconds, inSeconds((user + system) / 1_000))
  console.log(`Processor time: ${text(total)}. The files that used most:`)
  const most = times.toSorted(([, a], [, b]) => b.seconds - a.seconds).slice(0, shown)
  for (const [path, { seconds }] of most) console.log(`${text(seconds).padStart(10)}  ${path}`)
}
