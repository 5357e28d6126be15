/**
 * The frames of a write-ahead log (sqlite.org/fileformat2.html#walformat). The checksum of a frame continues the stored
 * checksum of the frame before. So it can be proved that a frame follows the one before it, even if earlier frames are
 * damaged.
 */
import { readUpTo } from '../files/read-up-to.ts'
import type { OpenFile } from '../files/file-system.ts'

const headerLength = 32
const frameHeaderLength = 24
const magic = 0x377f0682
const pageSizeMin = 512
const pageSizeMax = 65_536
/** Bytes read at once, approximately. */
const windowBytes = 1024 * 1024

export type WalChecksum = readonly [number, number]

export interface WalHeader {
  /** Whether its checksum holds. SQLite treats a log with a wrong one as empty. */
  readonly isSound: boolean
  readonly pageSize: number
  readonly salts: WalChecksum
  readonly checksum: WalChecksum
  /** Whether words are summed with the highest byte first. */
  readonly bigEndian: boolean
}

export interface WalFrame {
  readonly number: number
  readonly salts: WalChecksum
  /** Whether it is the last frame of a transaction. */
  readonly commits: boolean
  readonly stored: WalChecksum
  /** The checksum that it should have after the given one. */
  sumAfter(before: WalChecksum): WalChecksum
}

/** `undefined` for a file that is too short for a header. `pageSize` is used when the header has none. */
export async function readWalHeader(file: Pick<OpenFile, 'read'>, pageSize: number): Promise<WalHeader | undefined> {
  const bytes = await readUpTo(file, 0, headerLength)
  if (bytes.length < headerLength) return undefined
  const view = viewOf(bytes)
  const bigEndian = view.getUint32(0) === magic + 1
  const checksum = pairAt(view, 24)
  const size = view.getUint32(8)
  const isSound =
    (view.getUint32(0) === magic || bigEndian) &&
    size >= pageSizeMin &&
    size <= pageSizeMax &&
    (size & (size - 1)) === 0 &&
    isSame(sum([0, 0], view, [0, 24], bigEndian), checksum)
  return { isSound, pageSize: isSound ? size : pageSize, salts: pairAt(view, 16), checksum, bigEndian }
}

/** Every complete frame, in the order of the file; frames after the end of the log belong to an earlier log. */
export async function* walFrames(
  file: Pick<OpenFile, 'read'>,
  { pageSize, bigEndian }: WalHeader,
): AsyncGenerator<WalFrame> {
  const length = frameHeaderLength + pageSize
  const atOnce = Math.max(1, Math.floor(windowBytes / length))
  for (let number = 0; ; ) {
    const bytes = await readUpTo(file, headerLength + number * length, atOnce * length)
    const whole = Math.floor(bytes.length / length)
    for (let i = 0; i < whole; i++, number++) {
      const view = viewOf(bytes.subarray(i * length, (i + 1) * length))
      yield {
        number,
        salts: pairAt(view, 8),
        commits: view.getUint32(4) !== 0,
        stored: pairAt(view, 16),
        sumAfter: (before) => sum(sum(before, view, [0, 8], bigEndian), view, [frameHeaderLength, length], bigEndian),
      }
    }
    if (whole < atOnce) return
  }
}

export const isSame = (a: WalChecksum, b: WalChecksum): boolean => a[0] === b[0] && a[1] === b[1]

function sum(
  [first, second]: WalChecksum,
  view: DataView,
  [from, to]: readonly [number, number],
  bigEndian: boolean,
): WalChecksum {
  let [a, b] = [first, second]
  for (let at = from; at < to; at += 8) {
    a = (a + view.getUint32(at, !bigEndian) + b) >>> 0
    b = (b + view.getUint32(at + 4, !bigEndian) + a) >>> 0
  }
  return [a, b]
}

const viewOf = (bytes: Uint8Array): DataView => new DataView(bytes.buffer, bytes.byteOffset, bytes.length)

const pairAt = (view: DataView, at: number): WalChecksum => [view.getUint32(at), view.getUint32(at + 4)]
