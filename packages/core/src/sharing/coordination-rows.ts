/**
 * The rows by which the engines on one journal coordinate. No event makes them and no copy of a store keeps them. Each
 * is guarded by expected rows: an engine changes a row only if it still has the bytes that the engine last saw.
 */
import { StorageError } from '../base/errors.ts'
import { openFrame, sealFrame } from '../bytes/frame.ts'
import { toHex } from '../bytes/hex.ts'
import { KeyReader, KeyWriter } from '../bytes/key-codec.ts'
import { decodeUtf8, encodeUtf8 } from '../bytes/utf8.ts'
import type { BlobId, Hashing, RowChange, Seq } from '../ports/index.ts'
import { type RowKey, rowKey } from '../views/row-key.ts'
import { rangeOf } from '../views/tables.ts'

/** The id of one opening of an engine. */
export type EngineId = string

/** An engine that may commit. Every commit of the engine expects this row, so removing it ends the engine's commits. */
export interface MemberRow {
  readonly engine: EngineId
}

/** The last sign of life of an engine. It changes often, so no commit of events expects it. */
export interface BeatRow {
  /** The time of the journal's clock at which the engine counts as gone. Absent if the journal has no clock. */
  readonly expires?: number
  /** Counts the signs of life, so that each one changes the row. */
  readonly count: number
  /** No read of this engine in progress began before this position. */
  readonly floor: Seq
}

/** The right to run a job. It is valid while its holder is a member. */
export interface LeaseRow {
  /** `null` while no engine holds it. */
  readonly holder: EngineId | null
  /** Raised each time the lease is granted. */
  readonly epoch: number
  /** The lease of the sweep: bytes that were freed up to this position may be erased at any moment. */
  readonly erasing?: Seq
}

/** A blob that an engine writes and that no commit names yet. */
export interface MarkRow {
  readonly engine: EngineId
}

/** The secret of a store whose ports have none. */
export interface SecretRow {
  readonly hex: string
}

/**
 * A store that is being moved into this journal, was moved out of it, is a copy of another one, or follows one. Absent in every other
 * journal.
 */
export interface PassageRow {
  readonly state: 'arriving' | 'departed' | 'copy' | 'following'
  /** Where the store comes from, or is now, or is written. */
  readonly peer: string
  /**
   * Set on an arrival in the commit of its last event, the one that begins its epoch: whether it was to end where its source ended, or at a
   * moment of it. Absent while events are to be copied.
   */
  readonly restored?: 'end' | 'moment'
  /** Of an arrival that is restored: how many contents its source has lost. */
  readonly lost?: number
}

/** How far a job has come, in a form of its own. */
export interface JobPlaceRow {
  readonly text: string
}

const byte = { member: 0x90, beat: 0x91, lease: 0x92, mark: 0x93, secret: 0x94, passage: 0x95, jobPlace: 0x96 } as const

const textOf = (bytes: Uint8Array): string => new KeyReader(bytes).text()

export const memberTable = {
  key: (engine: EngineId) => rowKey<MemberRow>(new KeyWriter(byte.member).text(engine)),
  range: rangeOf(new KeyWriter(byte.member)),
  engine: textOf,
} as const

export const beatTable = {
  key: (engine: EngineId) => rowKey<BeatRow>(new KeyWriter(byte.beat).text(engine)),
} as const

export const leaseTable = {
  key: (job: string) => rowKey<LeaseRow>(new KeyWriter(byte.lease).text(job)),
} as const

export const markTable = {
  key: (blob: BlobId) => rowKey<MarkRow>(new KeyWriter(byte.mark).text(blob)),
  range: rangeOf(new KeyWriter(byte.mark)),
  blob: textOf,
} as const

export const jobPlaceTable = {
  key: (job: string) => rowKey<JobPlaceRow>(new KeyWriter(byte.jobPlace).text(job)),
} as const

export const secretKey: RowKey<SecretRow> = rowKey(new KeyWriter(byte.secret))
export const passageKey: RowKey<PassageRow> = rowKey(new KeyWriter(byte.passage))

/** The row, encoded. The same row always gives the same bytes. */
export const coordinationRow = <R extends object>(hashing: Hashing, { bytes }: RowKey<R>, row: R): RowChange => ({
  key: bytes,
  value: sealFrame(hashing, bytes, encodeUtf8(JSON.stringify(row))),
})

/** @throws StorageError `RowCorrupt` */
export function readCoordinationRow<R extends object>(hashing: Hashing, key: RowKey<R>, frame: Uint8Array): R {
  const row = readableRow(hashing, key, frame)
  if (row !== undefined) return row
  throw new StorageError('RowCorrupt', 'A row that coordinates engines is damaged.', {
    details: { key: toHex(key.bytes), kind: 'coordination' },
  })
}

/** The row; `undefined` if it is damaged. */
export function readableRow<R extends object>(
  hashing: Hashing,
  { bytes }: RowKey<R>,
  frame: Uint8Array,
): R | undefined {
  const payload = openFrame(hashing, bytes, frame)
  if (payload === undefined) return undefined
  try {
    const row: unknown = JSON.parse(decodeUtf8(payload))
    return typeof row === 'object' && row !== null ? (row as R) : undefined
  } catch {
    return undefined
  }
}
