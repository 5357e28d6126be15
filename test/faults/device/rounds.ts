/** One disk that fails under load again and again, for good or for a moment, and a store that has to stop in time. */
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { Expectations, inspect } from '../load/audit.ts'
import type { Greeting, Orders, Place, Claim } from '../load/load.ts'
import { Child } from '../machine/child.ts'
import { randomFrom } from '../../support/random.ts'
import type { Kind } from '../power/loop-image.ts'
import { FaultyDevice } from './faulty-device.ts'

export interface Outcome {
  rounds: number
  /** Rounds in which a write met the failure; a short one may pass unnoticed. */
  met: number
  acknowledged: number
  readonly wrong: string[]
}

const calmMsMax = 250
const briefMsMax = 60
const watchMs = 250
const numbersPerRound = 1_000_000

export interface Life extends Pick<Place, 'layout'> {
  readonly on: Kind
  readonly seed: number
  readonly rounds: number
}

export async function live({ on, layout, seed, rounds }: Life, scratch: string): Promise<Outcome> {
  const { next: random } = randomFrom(seed)
  const expectations = new Expectations()
  const outcome: Outcome = { rounds: 0, met: 0, acknowledged: 0, wrong: [] }
  const device = await FaultyDevice.make(scratch, on)
  const place: Place = { directory: join(device.mountPoint, 'store'), layout }
  try {
    while (outcome.rounds < rounds && outcome.wrong.length === 0) {
      const first = outcome.rounds++ * numbersPerRound
      const brief = random() < 0.5
      const heard = await loadAndBreak(device, { ...place, first, stubborn: true }, { expectations, brief, random })
      if (heard.refused) outcome.met++
      outcome.wrong.push(...heard.wrong)
      if (!brief && !heard.refused) outcome.wrong.push('no write was refused, though the disk takes none')
      // Compares first with the page cache, and then with the disk. After a failed sync they may differ.
      if (await device.takesWrites()) outcome.wrong.push(...(await inspect(place, expectations)))
      await device.unmount()
      await device.mount()
      outcome.wrong.push(...(await inspect(place, expectations)))
    }
  } finally {
    await device.heal()
    await device.remove()
  }
  outcome.acknowledged = expectations.acknowledged
  return outcome
}

interface Round {
  readonly expectations: Expectations
  /** The disk fails for a moment only. */
  readonly brief: boolean
  readonly random: () => number
}

async function loadAndBreak(device: FaultyDevice, orders: Orders, { expectations, brief, random }: Round) {
  const writer = new Child<Claim | Greeting>('load/writer.js')
  const stop = new StopWatch()
  writer.hear((line) => {
    if (!('what' in line)) return
    expectations.hear(line)
    stop.hear(line)
  })
  writer.report(orders)
  try {
    await writer.line((line) => 'what' in line && line.what === 'did')
    await delay(random() * calmMsMax)
    await device.break()
    if (brief) await delay(random() * briefMsMax)
    else await Promise.race([writer.line((line) => 'what' in line && line.what === 'refused'), delay(10_000)])
    if (brief) await device.heal()
    await delay(watchMs)
  } finally {
    await device.heal()
    const { signal, code, stderr } = await writer.kill()
    if (signal !== 'SIGKILL') stop.wrong.push(`the writer ended by itself (${code}): ${stderr}`)
  }
  return stop
}

/** Hears whether the store stops taking writes within one request of the first that failed, and for good. */
class StopWatch {
  readonly wrong: string[] = []
  refused = false
  /** Begun after somebody had heard of the failure. */
  readonly #late = new Set<string>()

  hear({ what, action, key, number, code, message }: Claim): void {
    // A sweep that finds nothing to do writes nothing.
    if (action === 'sweep') return
    const deed = `${action} ${key} ${number}`
    if (what === 'will' && this.refused) this.#late.add(deed)
    if (what === 'did' && this.#late.has(deed)) this.wrong.push(`${deed}: acknowledged after a write had failed`)
    if (what !== 'refused') return
    this.refused = true
    if (code !== 'StoreFailed') this.wrong.push(`${deed}: refused as ${code}, not as StoreFailed: ${message}`)
  }
}
