/** What the first and the last block of a file with events or bytes say. */
import type { Seq } from '../ports/index.ts'
import { literal, integer, text } from '../schema/scalars.ts'
import type { Schema } from '../schema/schema.ts'
import { array, object, optional, pair } from '../schema/structures.ts'

/** The first block. */
export interface PartFacts {
  readonly format: number
  readonly kind: 'log' | 'rows' | 'views'
  /** The hash of the first event of the log, which names the store. */
  readonly store: string
  readonly term: number
  readonly from: Seq
  readonly to: Seq
  /** The hash of the event before `from`; empty if there is none. */
  readonly prev: string
  /** The hash of the event `to`. */
  readonly last: string
  /** The times of the first and the last event, in milliseconds since the Unix epoch. */
  readonly times: readonly [number, number]
  /** How many blobs of these events were gone when they were copied: erased meanwhile, as a later event says. */
  readonly absent: number
  /** Which of the files it is that rows were taken out of. Absent: nothing was. */
  readonly revision?: number
  /** Of views: the version of their rows. */
  readonly views?: number
}

/** A block of events, or of rows, within a file. */
export interface PartEntry {
  readonly kind: 'events' | 'inline' | 'keys' | 'views'
  /** Its place in the file, in bytes. */
  readonly offset: number
  readonly length: number
  /** The number of its items. */
  readonly count: number
  /** Of events: the position of the first one. Otherwise 0. */
  readonly first: Seq
  /** Of short bytes and keys: the ids of their blobs, one after another. Otherwise empty. */
  readonly ids: string
}

const seq = integer({ min: 1 })
const hash = text({ max: 64 })
const amount = integer({ min: 0 })

export const partFacts: Schema<PartFacts> = object<PartFacts>({
  format: integer({ min: 1 }),
  kind: literal('log', 'rows', 'views'),
  store: hash,
  term: seq,
  from: seq,
  to: seq,
  prev: hash,
  last: hash,
  times: pair(integer()),
  absent: amount,
  revision: optional(seq),
  views: optional(seq),
})

export interface PartIndex {
  readonly entries: readonly PartEntry[]
}

/** A file has no more blocks, nor a block more ids. */
const entriesMax = 1_000_000
const idsMax = 64 * 1024 * 1024

export const partIndex: Schema<PartIndex> = object<PartIndex>({
  entries: array(
    object<PartEntry>({
      kind: literal('events', 'inline', 'keys', 'views'),
      offset: amount,
      length: amount,
      count: amount,
      first: amount,
      ids: text({ max: idsMax }),
    }),
    { max: entriesMax },
  ),
})

/** The bytes at the end of a file: the place of the index, which is the last block, and the words that end a file. */
export const tailBytes = 16
const endWords = 'VARVEREP'

export function sealTail(indexAt: number): Uint8Array {
  const tail = new Uint8Array(tailBytes)
  const view = new DataView(tail.buffer)
  view.setUint32(0, Math.floor(indexAt / 2 ** 32))
  view.setUint32(4, indexAt % 2 ** 32)
  for (let i = 0; i < endWords.length; i++) tail[8 + i] = endWords.charCodeAt(i)
  return tail
}

/** `undefined` for other bytes. */
export function openTail(tail: Uint8Array): number | undefined {
  if (tail.length !== tailBytes) return undefined
  for (let i = 0; i < endWords.length; i++) if (tail[8 + i] !== endWords.charCodeAt(i)) return undefined
  const view = new DataView(tail.buffer, tail.byteOffset, tailBytes)
  return view.getUint32(0) * 2 ** 32 + view.getUint32(4)
}
