/** A simulated clock, and processors that work on one thing after another. No time passes but that of the simulation. */

interface Planned {
  readonly at: number
  /** What was planned first is first among equals, so a run can be repeated. */
  readonly order: number
  readonly act: () => void
}

const isBefore = (one: Planned, other: Planned): boolean =>
  one.at < other.at || (one.at === other.at && one.order < other.order)

export class EventLoop {
  /** A heap: the parent of `i` is at `(i - 1) >> 1`. */
  readonly #planned: Planned[] = []
  #order = 0
  /** Milliseconds since the beginning. */
  now = 0

  after(ms: number, act: () => void): void {
    const entry = { at: this.now + ms, order: this.#order++, act }
    const heap = this.#planned
    let place = heap.push(entry) - 1
    for (
      let parent = (place - 1) >> 1;
      place > 0 && isBefore(entry, heap[parent] as Planned);
      parent = (place - 1) >> 1
    ) {
      heap[place] = heap[parent] as Planned
      place = parent
    }
    heap[place] = entry
  }

  /** Runs what is planned before `end`. */
  runUntil(end: number): void {
    for (let first = this.#planned[0]; first !== undefined && first.at < end; first = this.#planned[0]) {
      this.#removeFirst()
      this.now = first.at
      first.act()
    }
    this.now = end
  }

  #removeFirst(): void {
    const heap = this.#planned
    const last = heap.pop() as Planned
    if (heap.length === 0) return
    let place = 0
    for (let child = 1; child < heap.length; child = 2 * place + 1) {
      if (child + 1 < heap.length && isBefore(heap[child + 1] as Planned, heap[child] as Planned)) child++
      if (!isBefore(heap[child] as Planned, last)) break
      heap[place] = heap[child] as Planned
      place = child
    }
    heap[place] = last
  }
}

export class Processors {
  readonly #loop: EventLoop
  readonly count: number
  readonly #waiting: (() => void)[] = []
  #first = 0
  #running = 0
  /** Milliseconds that were worked. */
  worked = 0

  constructor(loop: EventLoop, count: number) {
    this.#loop = loop
    this.count = count
  }

  /** Works for `ms` as soon as a processor is free, and then calls `done`. */
  work(ms: number, done: () => void): void {
    const start = (): void => {
      this.#running++
      this.#loop.after(ms, () => {
        this.#running--
        this.worked += ms
        this.#startNext()
        done()
      })
    }
    if (this.#running < this.count) start()
    else this.#waiting.push(start)
  }

  #startNext(): void {
    const next = this.#waiting[this.#first]
    if (next === undefined) return
    this.#first++
    if (this.#first > 1024) {
      this.#waiting.splice(0, this.#first)
      this.#first = 0
    }
    next()
  }
}

/** Numbers from 0 to 1, the same for the same seed: mulberry32. */
export function randomOf(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}
