/** What a segment log must hold: some beginning of the commits that were given to it, exactly. */
import type { Commit, Journal, RowChange, RowReader } from '@varve/core'
import type { Random } from '../../support/random.ts'

/** Rows by key in hex; values in hex. */
type Rows = ReadonlyMap<string, string>

/** The keys of the number of commits: every commit in the log sets the first one, every other commit the second one. */
const countKey = Uint8Array.of(0)
const outsideCountKey = Uint8Array.of(2)
const everything = { gte: Uint8Array.of(), lt: Uint8Array.of(0xff, 0xff) }

export class LogModel {
  readonly #states: Rows[] = [new Map()]
  readonly #events: string[] = []
  /** How many events there are after so many commits. */
  readonly #heads: number[] = [0]

  /** How many commits were given to the log. */
  get given(): number {
    return this.#states.length - 1
  }

  /** Makes up a commit and takes it for given. One in five is outside the log; some expect rows, as they are. */
  give(random: Random, eventsMax: number): Commit {
    const number = this.given + 1
    const expectedHead = this.#heads.at(-1) as number
    const outsideLog = random.chance(0.2)
    const eventsCount = outsideLog ? 0 : random.below(eventsMax + 1)
    const events = Array.from({ length: eventsCount }, () => someBytes(random, random.below(90)))
    const rows = Array.from({ length: random.below(4) }, () => ({
      key: outsideLog ? Uint8Array.of(3, random.below(5)) : Uint8Array.of(1, random.below(12)),
      value: random.chance(0.45) ? null : someBytes(random, random.pick([0, 5, 30, 60, 150])),
    }))
    const counter = outsideLog ? outsideCountKey : countKey
    rows.push({ key: counter, value: Uint8Array.of(number >> 8, number & 255) })
    const before = this.#states.at(-1) as Rows
    const expectedRows = random.chance(0.4)
      ? [...rows, { key: countKey, value: null }].map(({ key }) => asIn(before, key))
      : []
    const state = new Map(before)
    for (const { key, value } of rows) {
      if (value === null) state.delete(hex(key))
      else state.set(hex(key), hex(value))
    }
    this.#states.push(state)
    this.#events.push(...events.map(hex))
    this.#heads.push(expectedHead + events.length)
    return { ...(events.length > 0 && { expectedHead }), expectedRows, events, rows, outsideLog }
  }

  /** What came after so many commits never happened. */
  forget(count: number): void {
    this.#states.length = count + 1
    this.#heads.length = count + 1
    this.#events.length = this.#heads[count] as number
  }

  /** What is wrong with a log that was taken up again and should hold at least so many commits. */
  async judge(journal: Journal, atLeast: number): Promise<{ readonly count: number; readonly problems: string[] }> {
    const count = Math.max(await countOf(journal, countKey), await countOf(journal, outsideCountKey))
    if (count < atLeast || count > this.given) {
      return { count, problems: [`${count} commits are there; ${atLeast} were acknowledged, ${this.given} were given`] }
    }
    return {
      count,
      problems: [...(await this.judgeRows(journal, count)), ...(await this.#judgeEvents(journal, count))],
    }
  }

  /** What is wrong with rows that should be those after so many commits. */
  async judgeRows(reader: RowReader, count: number): Promise<string[]> {
    const expected = this.#states[count] as Rows
    const problems: string[] = []
    for (const reverse of [false, true]) {
      const seen = await allRows(reader, reverse)
      const sorted = [...expected].sort(([a], [b]) => (a < b === reverse ? 1 : -1))
      if (JSON.stringify(seen) !== JSON.stringify(sorted)) {
        problems.push(`rows, reverse ${reverse}: ${JSON.stringify(seen)} instead of ${JSON.stringify(sorted)}`)
      }
    }
    for (let i = 0; i < 17; i++) {
      const key = i < 12 ? Uint8Array.of(1, i) : Uint8Array.of(3, i - 12)
      const value = await reader.get(key)
      const found = value === undefined ? undefined : hex(value)
      if (found !== expected.get(hex(key))) problems.push(`row ${i} is ${found} instead of ${expected.get(hex(key))}`)
    }
    return problems
  }

  async #judgeEvents(journal: Journal, count: number): Promise<string[]> {
    const head = this.#heads[count] as number
    if ((await journal.head()) !== head) return [`the head is ${await journal.head()}, not ${head}`]
    const problems: string[] = []
    for (const from of [1, Math.ceil((head + 1) / 2)]) {
      const seen: string[] = []
      for await (const { seq, bytes } of journal.events({ from })) {
        seen.push(hex(bytes))
        if (seq !== from + seen.length - 1) problems.push(`event ${seq} at the place of ${from + seen.length - 1}`)
      }
      if (seen.join() !== this.#events.slice(from - 1, head).join()) problems.push(`the events from ${from} differ`)
    }
    return problems
  }
}

/** The row as it is in this state. */
function asIn(rows: Rows, key: Uint8Array): RowChange {
  const value = rows.get(hex(key))
  return { key, value: value === undefined ? null : Uint8Array.from(Buffer.from(value, 'hex')) }
}

async function countOf(reader: RowReader, key: Uint8Array): Promise<number> {
  const value = await reader.get(key)
  return value === undefined ? 0 : ((value[0] as number) << 8) | (value[1] as number)
}

async function allRows(reader: RowReader, reverse: boolean): Promise<[string, string][]> {
  const cursor = reader.cursor({ ...everything, reverse })
  const rows: [string, string][] = []
  for (;;) {
    const page = await cursor.next(5)
    if (page.length === 0) break
    rows.push(...page.map(([key, value]): [string, string] => [hex(key), hex(value)]))
  }
  await cursor.close()
  return rows
}

const someBytes = (random: Random, length: number) => Uint8Array.from({ length }, () => random.below(256))
const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex')
