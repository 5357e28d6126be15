/**
 * Finds the garbage that is due. The garbage of a bucket is one queue, in the order in which it is due, so what is not
 * due yet, or is still read, ends the walk of one queue only.
 *
 * A queue is walked from where it last ended: LevelDB would walk over every row that it has deleted lately. Queues that
 * are not known yet are looked for between the known ones, for the same reason.
 */
import { later } from '../bytes/bytes.ts'
import type { Hashing, RowReader, Seq } from '../ports/index.ts'
import { firstRows, walkRows } from '../reads/row-walk.ts'
import type { WaitingRow } from '../views/rows.ts'
import { type GarbagePlace, waitingTable } from '../views/content-tables.ts'

/** Takes garbage of a queue. False: it stays, and so does what follows in its queue. */
export type Take = (place: GarbagePlace, queue: Seq) => Promise<boolean>

/** Above it the places of all queues are forgotten, to bound the memory. */
const queuesMax = 10_000

export class WaitingQueues {
  /** By queue: there is no garbage before this key, or it is being erased. */
  #from = new Map<Seq, Uint8Array>()

  /** Call it if garbage that was taken may not be erased. */
  forget(): void {
    this.#from.clear()
  }

  /** `isFull`: nothing more is taken. */
  async walk(
    reader: RowReader,
    hashing: Hashing,
    { take, isFull }: { take: Take; isFull: () => boolean },
  ): Promise<void> {
    if (this.#from.size > queuesMax) this.forget()
    let at = waitingTable.range.gte
    const known = [...this.#from.keys()].sort((a, b) => a - b)
    for (const next of [...known, undefined]) {
      const end = next === undefined ? waitingTable.range.lt : waitingTable.ofQueue(next).gte
      while (!isFull()) {
        const queue = await queueIn(reader, hashing, at, end)
        if (queue === undefined) break
        await this.#walkQueue(reader, hashing, { queue, take, isFull })
        at = waitingTable.ofQueue(queue).lt
      }
      if (next === undefined || isFull()) return
      await this.#walkQueue(reader, hashing, { queue: next, take, isFull })
      at = waitingTable.ofQueue(next).lt
    }
  }

  async #walkQueue(
    reader: RowReader,
    hashing: Hashing,
    { queue, take, isFull }: { readonly queue: Seq; readonly take: Take; readonly isFull: () => boolean },
  ): Promise<void> {
    const { gte, lt } = waitingTable.ofQueue(queue)
    let from = later(gte, this.#from.get(queue) ?? gte)
    const walk = walkRows<WaitingRow>(reader, hashing, { gte: from, lt })
    try {
      while (!isFull()) {
        const found = await walk.next()
        if (found === undefined || !(await take(waitingTable.place(found.key), queue))) break
        from = Uint8Array.of(...found.key, 0)
      }
    } finally {
      await walk.close()
    }
    this.#from.set(queue, from)
  }
}

/** The first queue in a range of keys. */
async function queueIn(reader: RowReader, hashing: Hashing, gte: Uint8Array, lt: Uint8Array): Promise<Seq | undefined> {
  const [first] = await firstRows<WaitingRow>(reader, hashing, { gte, lt }, 1)
  return first && waitingTable.place(first.key).queue
}
