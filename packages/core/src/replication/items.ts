/** The bytes of a block of events or of rows: each item is its length in four bytes, and its bytes. */
import { replicaCorrupt } from './replica-corrupt.ts'

const lengthBytes = 4

/** So many bytes an item takes. */
export const itemBytes = (item: Uint8Array): number => lengthBytes + item.length

/** Writes an item into a block, from `at` on. */
export function putItem(block: Uint8Array, at: number, item: Uint8Array): void {
  new DataView(block.buffer, block.byteOffset).setUint32(at, item.length)
  block.set(item, at + lengthBytes)
}

/** The items, which share the bytes of the block. @throws StorageError `ReplicaCorrupt` unless there are exactly `count` */
export function splitItems(block: Uint8Array, count: number): readonly Uint8Array[] {
  const view = new DataView(block.buffer, block.byteOffset, block.length)
  const items: Uint8Array[] = []
  let at = 0
  while (at + lengthBytes <= block.length && items.length < count) {
    const end = at + lengthBytes + view.getUint32(at)
    if (end > block.length) break
    items.push(block.subarray(at + lengthBytes, end))
    at = end
  }
  if (items.length === count && at === block.length) return items
  throw replicaCorrupt('form', 'A block of a replica does not have the items that its file lists.')
}
