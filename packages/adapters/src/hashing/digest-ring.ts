/**
 * How bytes reach a digest thread: a ring of slots in memory that both threads share. One thread puts entries in, the
 * other takes them out in the same order. A free slot can serve any stream, and no stream can keep a slot.
 */

export const entryKind = { open: 0, bytes: 1, finish: 2, abandon: 3 } as const
export type EntryKind = keyof typeof entryKind

export interface Entry {
  readonly kind: EntryKind
  readonly stream: number
  /** At most `slotBytes`. */
  readonly bytes: Uint8Array
  /** For `open`: one bit for each digest. */
  readonly digests: number
}

/** A power of two, because the counters of positions grow past it and wrap around. */
const slots = 32
export const slotBytes = 64 * 1024

/** Layout of the shared memory, in words: three counters, then four words for each slot, then the bytes. */
const word = { put: 0, taken: 1, wanted: 2, entries: 4 } as const
const entryWords = 4
const dataAt = (word.entries + slots * entryWords) * 4
/** Bytes keep the alignment of their source: copying between different alignments takes seven times as long. */
const alignment = 8
const slotStride = slotBytes + alignment

/** What the digest thread must know to read the ring: see `digest-thread-source.ts`. */
export interface RingLayout {
  readonly shared: SharedArrayBuffer
  readonly slots: number
  readonly slotStride: number
  readonly dataAt: number
}

export class DigestRing {
  readonly layout: RingLayout = {
    shared: new SharedArrayBuffer(dataAt + slots * slotStride),
    slots,
    slotStride,
    dataAt,
  }
  readonly #words = new Int32Array(this.layout.shared, 0, dataAt / 4)
  readonly #data = new Uint8Array(this.layout.shared, dataAt)
  /** Entries put so far. Wraps around as an Int32 does. */
  #put = 0

  /** False when the ring is full. */
  put({ kind, stream, bytes, digests }: Entry): boolean {
    if (this.#isFull()) return false
    const slot = this.#put & (slots - 1)
    const start = slot * slotStride + (bytes.byteOffset % alignment)
    this.#data.set(bytes, start)
    const at = word.entries + slot * entryWords
    this.#words[at] = stream
    this.#words[at + 1] = entryKind[kind]
    this.#words[at + 2] = kind === 'open' ? digests : start
    this.#words[at + 3] = bytes.length
    this.#put = (this.#put + 1) | 0
    Atomics.store(this.#words, word.put, this.#put)
    Atomics.notify(this.#words, word.put)
    return true
  }

  /** Requests a signal when half of the ring is free. False when there is space already: then no signal may come. */
  askForRoom(): boolean {
    Atomics.store(this.#words, word.wanted, 1)
    return this.#isFull()
  }

  #isFull(): boolean {
    return ((this.#put - Atomics.load(this.#words, word.taken)) | 0) >= slots
  }
}
