/** Writes a file with events and bytes, block by block, so that a long one needs little memory. */
import { encodeUtf8 } from '../bytes/utf8.ts'
import type { BlobId, ReplicaFiles, Seq } from '../ports/index.ts'
import { blockHeadBytes, type BlockPorts, sealBlock, sealInPlace } from './block.ts'
import { itemBytes, putItem } from './items.ts'
import { type PartEntry, type PartFacts, sealTail } from './part-form.ts'

/** A block of a file: as its bytes are, or as they are to be packed. */
export type PartBlock = Omit<PartEntry, 'offset' | 'length'> & {
  readonly sealed: Uint8Array
}

/** Items are collected until a block has so many bytes. */
const blockBytes = 256 * 1024
/** The memory of a block grows in few steps. The last one has room for all but a long item at the end. */
const memorySteps = [4 * 1024, 64 * 1024, blockBytes + 16 * 1024] as const

/** Writes the file, and resolves with its size; `undefined` if there is one of this name. */
export async function createPart(
  ports: BlockPorts & { readonly files: ReplicaFiles },
  name: string,
  facts: PartFacts,
  blocks: AsyncIterable<PartBlock> | Iterable<PartBlock>,
): Promise<number | undefined> {
  let size = 0
  async function* counted(): AsyncGenerator<Uint8Array> {
    for await (const bytes of partBytes(ports, facts, blocks)) {
      size += bytes.length
      yield bytes
    }
  }
  return (await ports.files.create(name, counted())) ? size : undefined
}

/** The bytes of a file. */
export async function* partBytes(
  ports: BlockPorts,
  facts: PartFacts,
  blocks: AsyncIterable<PartBlock> | Iterable<PartBlock>,
): AsyncGenerator<Uint8Array> {
  const header = await sealBlock(ports, 'header', encodeUtf8(JSON.stringify(facts)))
  yield header
  const entries: PartEntry[] = []
  let offset = header.length
  for await (const { sealed, ...about } of blocks) {
    entries.push({ ...about, offset, length: sealed.length })
    yield sealed
    offset += sealed.length
  }
  yield await sealBlock(ports, 'index', encodeUtf8(JSON.stringify({ entries })))
  yield sealTail(offset)
}

/** Collects items for blocks of one kind. */
export class BlockFiller {
  readonly #ports: BlockPorts
  readonly #kind: PartEntry['kind']
  #bytes = new Uint8Array(0)
  #size = blockHeadBytes
  #count = 0
  #ids = ''
  #first: Seq = 0

  constructor(ports: BlockPorts, kind: PartEntry['kind']) {
    this.#ports = ports
    this.#kind = kind
  }

  get isEmpty(): boolean {
    return this.#count === 0
  }

  get isFull(): boolean {
    return this.#size >= blockBytes
  }

  /** True if the block is full. */
  addEvent(seq: Seq, bytes: Uint8Array): boolean {
    if (this.isEmpty) this.#first = seq
    return this.#add(bytes)
  }

  /** True if the block is full. */
  addRow(id: BlobId, bytes: Uint8Array): boolean {
    this.#ids += id
    return this.#add(bytes)
  }

  /** A row of the views, as two items. True if the block is full. */
  addView(key: Uint8Array, value: Uint8Array): boolean {
    this.#add(key)
    return this.#add(value)
  }

  #add(bytes: Uint8Array): boolean {
    const end = this.#size + itemBytes(bytes)
    if (end > this.#bytes.length) this.#grow(end)
    putItem(this.#bytes, this.#size, bytes)
    this.#size = end
    this.#count++
    return this.isFull
  }

  #grow(size: number): void {
    const bytes = new Uint8Array(memorySteps.find((step) => step >= size) ?? size)
    bytes.set(this.#bytes.subarray(0, this.#size))
    this.#bytes = bytes
  }

  /** The block, of at least one item. The filler is empty again. */
  async block(): Promise<PartBlock> {
    const about = { kind: this.#kind, count: this.#count, first: this.#first, ids: this.#ids }
    const free = this.#bytes.subarray(0, this.#size)
    this.#bytes = new Uint8Array(0)
    this.#size = blockHeadBytes
    this.#count = 0
    this.#ids = ''
    this.#first = 0
    return { ...about, sealed: await sealInPlace(this.#ports, this.#kind, free) }
  }
}
