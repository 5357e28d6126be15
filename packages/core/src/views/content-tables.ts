/** The tables of stored bytes: what needs them, what waits for erasure, and how many there are. */
import type { BlobId, Seq } from '../ports/index.ts'
import { KeyReader, KeyWriter } from '../bytes/key-codec.ts'
import type { BlobRow, ErasedRow, GarbageRow, Pin, PinnedByRow, ShareRow, UnpinnedRow, WaitingRow } from './rows.ts'
import type { HolderRow, OwnerSharedRow, OwnerUsageRow, UploadUsageRow, UsageRow } from './usage-rows.ts'
import { byte } from './table-bytes.ts'
import { lastKept, type RowKey, rowKey } from './row-key.ts'
import { rangeOf } from './tables.ts'

export const shareTable = {
  key: (contentId: string) => rowKey<ShareRow>(new KeyWriter(byte.share).text(contentId)),
} as const

/** The buckets that have versions with a content which several buckets had, by the content and the incarnation of the bucket. */
export const holderTable = {
  key: (contentId: string, home: Seq) => rowKey<HolderRow>(new KeyWriter(byte.holder).text(contentId).seq(home)),
  ofContent: (contentId: string) => rangeOf(new KeyWriter(byte.holder).text(contentId)),
  home: (bytes: Uint8Array): Seq => new KeyReader(bytes).skipText().seq(),
} as const

/** Identifies garbage: the event that freed it, and its index among the contents which that event freed. */
export interface GarbagePlace {
  readonly freedBy: Seq
  readonly index: number
}

export const placeName = ({ freedBy, index }: GarbagePlace): string => `${freedBy}/${index}`

function garbageRows(table: number) {
  return {
    key: ({ freedBy, index }: GarbagePlace) => rowKey<GarbageRow>(new KeyWriter(table).seq(freedBy).number16(index)),
    range: rangeOf(new KeyWriter(table)),
    place: (bytes: Uint8Array): GarbagePlace => {
      const reader = new KeyReader(bytes)
      return { freedBy: reader.seq(), index: reader.number16() }
    },
  } as const
}

/** Garbage of all buckets, in the order in which it was freed. */
export const garbageTable = garbageRows(byte.garbage)

/** Garbage whose erasure has started: nothing may use its bytes any more. */
export const erasingTable = garbageRows(byte.erasing)

/** Garbage that a snapshot keeps. It is in no queue. */
export const pinnedTable = garbageRows(byte.pinned)

/** Pinned garbage in the order of its pins. */
export interface PinnedPlace extends GarbagePlace {
  readonly queue: Seq
  readonly pin: Seq
  readonly since: Seq
}

const pinnedIn = (queue: Seq, pin: Seq) => new KeyWriter(byte.pinnedBy).seq(queue).seq(pin)

/**
 * Finds pinned garbage: by its queue, then by its pin, and below a pin those that became visible last come first. So the
 * garbage that an older snapshot keeps too is behind the rest.
 */
export const pinnedByTable = {
  key: ({ queue, pin, since, freedBy, index }: PinnedPlace) =>
    rowKey<PinnedByRow>(pinnedIn(queue, pin).seqDescending(since).seq(freedBy).number16(index)),
  range: rangeOf(new KeyWriter(byte.pinnedBy)),
  /** The smallest key of a queue and a pin, or after it. */
  from: (queue: Seq, pin: Seq) => pinnedIn(queue, pin).finish(),
  /** The smallest key of garbage below the pin that became visible at `since` or before. */
  fromSince: (queue: Seq, pin: Seq, since: Seq) => pinnedIn(queue, pin).seqDescending(since).finish(),
  place: (bytes: Uint8Array): PinnedPlace => {
    const reader = new KeyReader(bytes)
    const [queue, pin, since] = [reader.seq(), reader.seq(), reader.seqDescending()]
    return { queue, pin, since, freedBy: reader.seq(), index: reader.number16() }
  },
} as const

/** Pins of deleted snapshots whose garbage is still to be returned. */
export const unpinnedTable = {
  key: ({ position, of }: Pin) => rowKey<UnpinnedRow>(new KeyWriter(byte.unpinned).seq(position).seq(of)),
  range: rangeOf(new KeyWriter(byte.unpinned)),
  pin: (bytes: Uint8Array): Pin => {
    const reader = new KeyReader(bytes)
    return { position: reader.seq(), of: reader.seq() }
  },
} as const

/** How far bytes that versions had were erased, in one row. */
export const erasedKey: RowKey<ErasedRow> = rowKey(new KeyWriter(byte.erased))

/** A queue is the garbage of one bucket, by its incarnation; queue 0 is the garbage that was shared by several. */
export const waitingTable = {
  key: (queue: Seq, { freedBy, index }: GarbagePlace) =>
    rowKey<WaitingRow>(new KeyWriter(byte.waiting).seq(queue).seq(freedBy).number16(index)),
  range: rangeOf(new KeyWriter(byte.waiting)),
  ofQueue: (queue: Seq) => rangeOf(new KeyWriter(byte.waiting).seq(queue)),
  place: (bytes: Uint8Array): GarbagePlace & { readonly queue: Seq } => {
    const reader = new KeyReader(bytes)
    return { queue: reader.seq(), freedBy: reader.seq(), index: reader.number16() }
  },
} as const

/** By the incarnation of the bucket; 0 for all buckets together. */
export const usageTable = {
  key: lastKept((home: Seq) => rowKey<UsageRow>(new KeyWriter(byte.usage).seq(home))),
  range: rangeOf(new KeyWriter(byte.usage)),
  home: (bytes: Uint8Array): Seq => new KeyReader(bytes).seq(),
} as const

/** By the id of the owner. */
export const ownerUsageTable = {
  key: lastKept((owner: string) => rowKey<OwnerUsageRow>(new KeyWriter(byte.ownerUsage).text(owner))),
  range: rangeOf(new KeyWriter(byte.ownerUsage)),
  owner: (bytes: Uint8Array) => new KeyReader(bytes).text(),
} as const

/** By the id of the owner. */
export const ownerSharedTable = {
  key: lastKept((owner: string) => rowKey<OwnerSharedRow>(new KeyWriter(byte.ownerShared).text(owner))),
  range: rangeOf(new KeyWriter(byte.ownerShared)),
  owner: (bytes: Uint8Array) => new KeyReader(bytes).text(),
} as const

/** Whether the row counts for a bucket or an owner. */
export const isOfUsage = ([table]: Uint8Array): boolean =>
  table === byte.usage || table === byte.ownerUsage || table === byte.ownerShared

export const uploadUsageTable = {
  key: (upload: Seq) => rowKey<UploadUsageRow>(new KeyWriter(byte.uploadUsage).seq(upload)),
} as const

export const blobTable = {
  key: (id: BlobId) => rowKey<BlobRow>(new KeyWriter(byte.blob).text(id)),
} as const
