/**
 * The records of one of LevelDB's logs, such as its manifest: blocks of 32 KiB that hold fragments. Each fragment has a
 * checksum, its length and its place in the record (leveldb, doc/log_format.md).
 */
import type { MaskedCrc } from './masked-crc.ts'

const blockLength = 32 * 1024
const headerLength = 7
const kinds = { full: 1, first: 2, middle: 3, last: 4 } as const

/** The complete records before the first torn or damaged place. LevelDB itself decides about the rest. */
export function* levelRecords(log: Uint8Array, crcOf: MaskedCrc): Generator<Uint8Array> {
  let open: Uint8Array[] | undefined
  for (const { kind, bytes } of fragments(log, crcOf)) {
    const begins = kind === kinds.full || kind === kinds.first
    if (begins === (open !== undefined)) return
    open = [...(open ?? []), bytes]
    if (kind === kinds.first || kind === kinds.middle) continue
    yield open.length === 1 ? bytes : Buffer.concat(open)
    open = undefined
  }
}

interface Fragment {
  readonly kind: number
  readonly bytes: Uint8Array
}

function* fragments(log: Uint8Array, crcOf: MaskedCrc): Generator<Fragment> {
  const view = new DataView(log.buffer, log.byteOffset, log.byteLength)
  let at = 0
  while (at + headerLength <= log.length) {
    const leftInBlock = blockLength - (at % blockLength)
    if (leftInBlock < headerLength) {
      at += leftInBlock
      continue
    }
    const length = view.getUint16(at + 4, true)
    const kind = log[at + 6] as number
    const end = at + headerLength + length
    if (kind < kinds.full || kind > kinds.last || headerLength + length > leftInBlock || end > log.length) return
    if (crcOf(log.subarray(at + 6, end)) !== view.getUint32(at, true)) return
    yield { kind, bytes: log.subarray(at + headerLength, end) }
    at = end
  }
}
