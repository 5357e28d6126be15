/** Writes a file with events and bytes, block by block, so that a long one needs little memory. */
import { encodeUtf8 } from '../bytes/utf8.ts'
import type { BlobId, ReplicaFiles, Seq } from '../ports/index.ts'
import { blockHeadBytes, type BlockPorts, sealBlock, sealInPlace } from './block.ts'
import { joinItems } from './items.ts'
import { type PartEntry, type PartFacts, sealTail } from './part-form.ts'

/** A block of a file: as its bytes are, or as they are to be packed. */
export type PartBlock = Omit<PartEntry, 'offset' | 'length'> & {
  readonly sealed: Uint8Array
}

/** Items are collected until a block has so many bytes. */
const blockBytes = 256 * 1024

/** Writes the file, and resolves with its size; `undefined` if there is one of this name. */
export async function createPart(
  ports: BlockPorts & { readonly files: ReplicaFiles },
  name: string,
  facts: PartFacts,
  blocks: AsyncIterable<PartBlock>,
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
  blocks: AsyncIterable<PartBlock>,
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
  #items: Uint8Array[] = []
  #ids = ''
  #first: Seq = 0
  #bytes = 0

  constructor(ports: BlockPorts, kind: PartEntry['kind']) {
    this.#ports = ports
    this.#kind = kind
  }

  get isEmpty(): boolean {
    return this.#items.length === 0
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
    this.#items.push(bytes)
    this.#bytes += bytes.length + blockHeadBytes
    return this.#bytes >= blockBytes
  }

  /** The block, of at least one item. The filler is empty again. */
  async block(): Promise<PartBlock> {
    const about = { kind: this.#kind, count: this.#items.length, first: this.#first, ids: this.#ids }
    const free = joinItems(this.#items, blockHeadBytes)
    this.#items = []
    this.#ids = ''
    this.#first = 0
    this.#bytes = 0
    return { ...about, sealed: await sealInPlace(this.#ports, this.#kind, free) }
  }
}
