/** One store that loses its power again and again under load, and is looked at after every cut. */
import { setTimeout as delay } from 'node:timers/promises'
import { Expectations, inspect } from '../load/audit.ts'
import type { Bug, Greeting, Orders, Place, Claim } from '../load/load.ts'
import { Child } from '../machine/child.ts'
import { randomFrom } from '../../support/random.ts'
import { makeSetUp, type SetUp, type SetUpName } from './set-ups.ts'

export interface Life extends Pick<Place, 'layout'> {
  readonly on: SetUpName
  readonly seed: number
  /** How often the power fails. */
  readonly cuts: number
  readonly bug?: Bug
}

export interface Outcome {
  /** Cuts made. Fewer than requested when something was wrong after the last. */
  cuts: number
  /** Cuts that did not wait for the writer to acknowledge something. */
  early: number
  /** Cuts before which it had. */
  withNews: number
  acknowledged: number
  readonly wrong: string[]
}

const delayMsMax = 250
/** One cut in so many does not wait for a first acknowledgement: it falls into the making or the opening of the store. */
const earlyEvery = 21
const numbersPerCut = 1_000_000

type Writer = Child<Claim | Greeting>

/** Starting Node takes as long as a whole cut, so the next writer starts while the last one's work is looked at. */
const newWriter = (): Writer => new Child('load/writer.js')

export async function live(life: Life, scratch: string): Promise<Outcome> {
  const { next: random } = randomFrom(life.seed)
  const expectations = new Expectations()
  const outcome: Outcome = { cuts: 0, early: 0, withNews: 0, acknowledged: 0, wrong: [] }
  const setUp = await makeSetUp(life, scratch)
  let writer = newWriter()
  try {
    while (outcome.cuts < life.cuts && outcome.wrong.length === 0) {
      const before = expectations.acknowledged
      const cut = outcome.cuts++
      const early = (life.seed + cut) % earlyEvery === 0
      if (early) outcome.early++
      await loadAndCut(life, setUp, { writer, expectations, cut, early, delayMs: random() * delayMsMax })
      writer = newWriter()
      if (expectations.acknowledged > before) outcome.withNews++
      outcome.wrong.push(...(await inspect({ directory: setUp.directory, layout: life.layout }, expectations)))
    }
  } catch (error) {
    outcome.wrong.push(error instanceof Error ? (error.stack ?? error.message) : String(error))
  } finally {
    await writer.kill()
    await setUp.remove()
  }
  outcome.acknowledged = expectations.acknowledged
  return outcome
}

interface Cut {
  readonly writer: Writer
  readonly expectations: Expectations
  /** 0 for the first. */
  readonly cut: number
  readonly early: boolean
  readonly delayMs: number
}

async function loadAndCut(
  { layout, bug }: Life,
  setUp: SetUp,
  { writer, expectations, cut, early, delayMs }: Cut,
): Promise<void> {
  writer.hear((line) => {
    if ('what' in line) expectations.hear(line)
  })
  const orders: Orders = { directory: setUp.directory, layout, first: cut * numbersPerCut, ...(bug && { bug }) }
  const armed = early ? undefined : writer.line((line) => 'what' in line && line.what === 'did')
  writer.report(orders)
  await armed
  await delay(delayMs)
  await writer.freeze()
  await setUp.cutPower()
  await writer.kill()
  await setUp.comeBack()
}
