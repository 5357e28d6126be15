/**
 * A file of a replica is a row of blocks. A block has a head of 14 bytes: the CRC-32 of all that follows, its kind, the form in which it is
 * packed, the number of its bytes, and the number of its packed bytes, which follow.
 */
import type { Hashing, Packing, PackingForm } from '../ports/index.ts'
import { replicaCorrupt } from './replica-corrupt.ts'

/** What is in a block. */
export type BlockKind = 'header' | 'events' | 'inline' | 'keys' | 'index' | 'views'

export const blockHeadBytes = 14
const kinds: readonly BlockKind[] = ['header', 'events', 'inline', 'keys', 'index', 'views']
const forms: readonly PackingForm[] = ['plain', 'deflate', 'zstd']
const rawLengthAt = 6
/** No block is larger, so that a damaged length asks for no more memory. */
const blockBytesMax = 64 * 1024 * 1024

export interface BlockPorts {
  readonly hashing: Pick<Hashing, 'crc32'>
  readonly packing: Packing
}

/** The bytes of a block. They are packed if that makes them shorter. */
export function sealBlock(ports: BlockPorts, kind: BlockKind, raw: Uint8Array): Promise<Uint8Array> {
  return sealInPlace(ports, kind, blockOf(raw))
}

/** As `sealBlock`, of an array that has its head free, and is the block if its bytes are not packed. */
export async function sealInPlace(
  { hashing, packing }: BlockPorts,
  kind: BlockKind,
  free: Uint8Array,
): Promise<Uint8Array> {
  const raw = free.subarray(blockHeadBytes)
  const packed = await packing.pack(raw)
  const isPacked = packed.bytes.length < raw.length
  const block = isPacked ? blockOf(packed.bytes) : free
  const view = new DataView(block.buffer, block.byteOffset, blockHeadBytes)
  view.setUint8(4, kinds.indexOf(kind))
  view.setUint8(5, forms.indexOf(isPacked ? packed.form : 'plain'))
  view.setUint32(rawLengthAt, raw.length)
  view.setUint32(10, block.length - blockHeadBytes)
  view.setUint32(0, hashing.crc32(block.subarray(4)))
  return block
}

function blockOf(bytes: Uint8Array): Uint8Array {
  const block = new Uint8Array(blockHeadBytes + bytes.length)
  block.set(bytes, blockHeadBytes)
  return block
}

/**
 * What a block has that `sealBlock` made, of which `block` are exactly the bytes.
 * @throws StorageError `ReplicaCorrupt`, or `UnsupportedFormat` if this runtime cannot unpack it
 */
export async function openBlock(
  { hashing, packing }: BlockPorts,
  expected: BlockKind,
  block: Uint8Array,
): Promise<Uint8Array> {
  const { form, length } = checkBlock(hashing, expected, block)
  const packed = block.subarray(blockHeadBytes)
  return form === 'plain' ? packed : packing.unpack(form, packed, length)
}

/**
 * What the head of a block says, of which `block` are exactly the bytes: they are those that `sealBlock` made.
 * @throws StorageError `ReplicaCorrupt`
 */
export function checkBlock(
  hashing: BlockPorts['hashing'],
  expected: BlockKind,
  block: Uint8Array,
): { readonly form: PackingForm; readonly length: number } {
  if (block.length < blockHeadBytes) throw damagedBlock('form')
  const view = new DataView(block.buffer, block.byteOffset, block.length)
  if (view.getUint32(0) !== hashing.crc32(block.subarray(4))) throw damagedBlock('checksum')
  const [kind, form] = [kinds[view.getUint8(4)], forms[view.getUint8(5)]]
  const length = view.getUint32(rawLengthAt)
  const packedLength = block.length - blockHeadBytes
  if (kind !== expected || form === undefined || length > blockBytesMax || view.getUint32(10) !== packedLength)
    throw damagedBlock('form')
  if (form === 'plain' && length !== packedLength) throw damagedBlock('form')
  return { form, length }
}

/** The number of bytes of the block that begins here. @throws StorageError `ReplicaCorrupt` */
export function blockLength(bytes: Uint8Array): number {
  if (bytes.length < blockHeadBytes) throw damagedBlock('form')
  const length = new DataView(bytes.buffer, bytes.byteOffset, blockHeadBytes).getUint32(10)
  if (length > blockBytesMax) throw damagedBlock('form')
  return blockHeadBytes + length
}

const damagedBlock = (kind: 'form' | 'checksum') => replicaCorrupt(kind, 'A block of a replica is damaged.')
