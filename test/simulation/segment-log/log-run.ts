/** One life of a segment log. A client commits, reads, holds on to snapshots, and closes and opens the log again. */
import type { SegmentJournal } from '@varve/adapters'
import { isStorageError, type RowSnapshot } from '@varve/core'
import { emptyMachine, type Image } from '../machine.ts'
import { type Random, randomFrom } from '../../support/random.ts'
import { type Fault, World } from '../world.ts'
import { LogMachine } from './log-machine.ts'
import { LogModel } from './log-model.ts'

export interface LogRunOptions {
  readonly seed: number
  readonly fault?: Fault | undefined
  readonly onRest?: ((run: LogRun, step: number) => Promise<void>) | undefined
}

const turns = 40

export class LogRun {
  readonly model = new LogModel()
  readonly machine: LogMachine
  readonly world: World
  /** Commits that were acknowledged. */
  acknowledged = 0
  /** What a reader was shown that it should not have been, and failures that are none. */
  readonly problems: string[] = []
  readonly #random: Random
  readonly #held: { readonly snapshot: RowSnapshot; readonly count: number }[] = []

  private constructor({ seed, fault, onRest }: LogRunOptions) {
    this.#random = randomFrom(seed)
    this.world = new World({
      random: randomFrom(seed + 1),
      now: 0,
      fault,
      onRest: onRest === undefined ? undefined : (step) => onRest(this, step),
    })
    this.machine = new LogMachine(this.world, emptyMachine)
  }

  /** Lives one life to its end. */
  static async of(options: LogRunOptions): Promise<LogRun> {
    const run = new LogRun(options)
    run.world.start()
    const life = run.#live().catch((error: unknown) => void run.problems.push(String(error)))
    await run.world.run()
    await life
    return run
  }

  get image(): Image {
    return this.machine.image
  }

  async #live(): Promise<void> {
    let journal: SegmentJournal | undefined = await this.#open()
    for (let turn = 0; turn < turns; turn++) {
      if (journal === undefined) return
      const present: SegmentJournal = journal
      try {
        journal = await this.#take(present)
      } catch (error) {
        if (!isStorageError(error)) throw error
        journal = await this.#afterFailure(present)
      }
    }
    await journal?.close().catch(() => undefined)
    if (!this.world.faulted && this.machine.files.handles > 0) this.problems.push('files are left open')
  }

  /** One action of a client. */
  async #take(journal: SegmentJournal): Promise<SegmentJournal | undefined> {
    const random = this.#random
    switch (random.below(10)) {
      case 0:
        await journal.settle()
        return journal
      case 1:
        await this.#letGo()
        // A close that fails has closed the log all the same.
        await journal.close().catch(() => undefined)
        return this.#open()
      case 2:
        this.#held.push({ snapshot: await journal.snapshot(), count: this.acknowledged })
        return journal
      case 3:
        this.problems.push(...(await this.model.judge(journal, this.acknowledged)).problems)
        await this.#letGo()
        return journal
      case 4:
        await Promise.all([this.#commit(journal, 0), this.#commit(journal, 0), this.#commit(journal, 0)])
        return journal
      default:
        await this.#commit(journal, 3)
        return journal
    }
  }

  async #commit(journal: SegmentJournal, eventsMax: number): Promise<void> {
    await journal.commit(this.model.give(this.#random, eventsMax))
    this.acknowledged++
  }

  /** Looks at all that was held: it must be as it was. */
  async #letGo(): Promise<void> {
    for (const { snapshot, count } of this.#held.splice(0)) {
      const problems = await this.model.judgeRows(snapshot, count)
      this.problems.push(...problems.map((problem) => `a snapshot of ${count} commits: ${problem}`))
      await snapshot.close()
    }
  }

  /** Opens the log, more than once if an effect fails; `undefined` when it will not open. */
  async #open(): Promise<SegmentJournal | undefined> {
    for (let attempt = 0; attempt < 3; attempt++) {
      try {
        return await this.machine.open(this.acknowledged === 0)
      } catch (error) {
        if (!isStorageError(error)) throw error
        if (isStorageError(error, 'LogCorrupt')) this.problems.push(`${error.message} ${JSON.stringify(error.details)}`)
      }
    }
    return undefined
  }

  /** The outcome of what was under way is unknown until the log is opened again. */
  async #afterFailure(journal: SegmentJournal): Promise<SegmentJournal | undefined> {
    if (!this.world.faulted) this.problems.push('the journal failed without a fault')
    for (const { snapshot } of this.#held.splice(0)) await snapshot.close().catch(() => undefined)
    await journal.close().catch(() => undefined)
    const reopened = await this.#open()
    if (reopened === undefined) return undefined
    const { count, problems } = await this.model.judge(reopened, this.acknowledged)
    this.problems.push(...problems)
    if (problems.length > 0) return undefined
    this.model.forget(count)
    this.acknowledged = count
    return reopened
  }
}
