/** A file with events and bytes, as it is in a replica. */
import { StorageError } from '../base/errors.ts'
import type { BlobId, ReplicaFile, ReplicaFiles, Row, Seq, StoredEvent } from '../ports/index.ts'
import { blockLength, type BlockKind, type BlockPorts, checkBlock, openBlock } from './block.ts'
import { splitItems } from './items.ts'
import { openTail, type PartEntry, type PartFacts, partFacts, partIndex, tailBytes } from './part-form.ts'
import { replicaCorrupt } from './replica-corrupt.ts'
import { parseDocument, parseVersioned } from './replica-files-json.ts'
import { parsePartName } from './replica-names.ts'
import type { PartBlock } from './write-part.ts'

export interface PartPorts extends BlockPorts {
  readonly files: ReplicaFiles
}

/** A shorter file is read at once. */
const wholeBytes = 1024 * 1024
/** The first block is not longer. */
const headerBytesMax = 4096
/** Blocks that follow each other are read together, up to so many bytes. */
const readBytes = 4 * 1024 * 1024
const idDigits = 32

/** An item of a block of rows. */
export interface StoredRow {
  readonly id: BlobId
  readonly bytes: Uint8Array
}

interface CheckedBlock {
  readonly block: PartBlock
  readonly rawBytes: number
}

/** One that is open: what it says of itself, and its blocks. */
export class StoredPart {
  readonly name: string
  readonly facts: PartFacts
  readonly entries: readonly PartEntry[]
  readonly #ports: PartPorts
  readonly #bytes: PartBytes

  /** @throws StorageError `ReplicaCorrupt`: `details.kind` is `missing` if there is no such file; `UnsupportedFormat` */
  static async open(ports: PartPorts, file: ReplicaFile): Promise<StoredPart> {
    const { name, size } = file
    const whole = size <= wholeBytes ? await ports.files.read(name) : undefined
    if (size <= wholeBytes && whole === undefined) throw missingPart(name)
    // The size that was listed counts for nothing if the bytes are here.
    const bytes = new PartBytes(ports, whole === undefined ? file : { name, size: whole.length }, whole)
    return new StoredPart(ports, bytes, await new PartOpening(ports, bytes).read())
  }

  private constructor(ports: PartPorts, bytes: PartBytes, read: Pick<StoredPart, 'facts' | 'entries'>) {
    this.#ports = ports
    this.#bytes = bytes
    this.name = bytes.name
    this.facts = read.facts
    this.entries = read.entries
  }

  /** The events from `from` to `to`, block by block. The caller checks them. @throws StorageError `ReplicaCorrupt` */
  async *events(from: Seq, to: Seq): AsyncGenerator<readonly StoredEvent[]> {
    const wanted = this.entries.filter(
      ({ kind, first, count }) => kind === 'events' && first <= to && first + count > from,
    )
    for await (const { entry, sealed } of this.sealedBlocks(wanted)) {
      const events = await this.eventsIn(entry, sealed)
      yield events.filter(({ seq }) => seq >= from && seq <= to)
    }
  }

  async eventsIn(entry: PartEntry, sealed: Uint8Array): Promise<readonly StoredEvent[]> {
    const items = splitItems(await this.#open('events', sealed), entry.count)
    return items.map((bytes, i) => ({ seq: entry.first + i, bytes }))
  }

  /**
   * A block that another file can have as it is, and the number of its bytes when it is unpacked. Its checksum is that of the packed bytes,
   * so they are not unpacked.
   * @throws StorageError `ReplicaCorrupt`
   */
  checkedBlock({ kind, count, first, ids }: PartEntry, sealed: Uint8Array): CheckedBlock {
    try {
      const { length } = checkBlock(this.#ports.hashing, kind, sealed)
      return { block: { kind, count, first, ids, sealed }, rawBytes: length }
    } catch (error) {
      throw inFile(this.name, error)
    }
  }

  /** All rows of views, block by block. @throws StorageError `ReplicaCorrupt` */
  async *views(): AsyncGenerator<readonly Row[]> {
    for await (const { entry, sealed } of this.sealedBlocks(this.entries)) {
      const items = splitItems(await this.#open('views', sealed), entry.count)
      if (items.length % 2 !== 0) throw this.#damaged('form')
      yield Array.from(
        { length: items.length / 2 },
        (_, n): Row => [items[2 * n] as Uint8Array, items[2 * n + 1] as Uint8Array],
      )
    }
  }

  /** The rows of a block. @throws StorageError `ReplicaCorrupt` */
  async rows(entry: PartEntry): Promise<readonly StoredRow[]> {
    for await (const { sealed } of this.sealedBlocks([entry])) return this.rowsIn(entry, sealed)
    return []
  }

  async rowsIn(entry: PartEntry, sealed: Uint8Array): Promise<readonly StoredRow[]> {
    const ids = idsOf(entry)
    if (ids.length !== entry.count) throw this.#damaged('form')
    const items = splitItems(await this.#open(entry.kind, sealed), entry.count)
    return items.map((bytes, i) => ({ id: ids[i] as BlobId, bytes }))
  }

  /** Blocks as they are stored, in the order of `wanted`, which is that of the file. */
  async *sealedBlocks(
    wanted: readonly PartEntry[],
  ): AsyncGenerator<{ readonly entry: PartEntry; readonly sealed: Uint8Array }> {
    for (const run of runsOf(wanted)) {
      const [first, last] = [run[0] as PartEntry, run.at(-1) as PartEntry]
      const bytes = await this.#bytes.read(first.offset, Math.min(last.offset + last.length, this.#bytes.size))
      for (const entry of run) {
        const at = entry.offset - first.offset
        const sealed = bytes.subarray(at, at + entry.length)
        if (sealed.length !== entry.length) throw this.#damaged('form')
        yield { entry, sealed }
      }
    }
  }

  async #open(kind: BlockKind, sealed: Uint8Array): Promise<Uint8Array> {
    try {
      return await openBlock(this.#ports, kind, sealed)
    } catch (error) {
      throw inFile(this.name, error)
    }
  }

  #damaged(kind: 'form'): StorageError {
    return damagedPart(this.name, kind)
  }
}

/** The ids of the rows of a block. */
export function idsOf({ ids }: PartEntry): readonly BlobId[] {
  return Array.from({ length: Math.floor(ids.length / idDigits) }, (_, i) =>
    ids.slice(i * idDigits, (i + 1) * idDigits),
  )
}

/** The bytes of a file: those of a short one are here. */
class PartBytes {
  readonly name: string
  readonly size: number
  readonly #files: ReplicaFiles
  readonly #whole: Uint8Array | undefined

  constructor({ files }: PartPorts, { name, size }: ReplicaFile, whole: Uint8Array | undefined) {
    this.name = name
    this.size = size
    this.#files = files
    this.#whole = whole
  }

  async read(start: number, end: number): Promise<Uint8Array> {
    if (this.#whole !== undefined) return this.#whole.subarray(start, end)
    const bytes = await this.#files.read(this.name, { start, end })
    if (bytes === undefined) throw missingPart(this.name)
    return bytes
  }
}

class PartOpening {
  readonly #ports: PartPorts
  readonly #bytes: PartBytes

  constructor(ports: PartPorts, bytes: PartBytes) {
    this.#ports = ports
    this.#bytes = bytes
  }

  async read(): Promise<Pick<StoredPart, 'facts' | 'entries'>> {
    const { name, size } = this.#bytes
    try {
      if (size < tailBytes) throw damagedPart(name, 'form')
      const indexAt = openTail(await this.#bytes.read(size - tailBytes, size))
      if (indexAt === undefined || indexAt >= size - tailBytes) throw damagedPart(name, 'form')
      const index = await this.#bytes.read(indexAt, size - tailBytes)
      const { entries } = parseDocument(name, await openBlock(this.#ports, 'index', index), partIndex)
      const facts = await this.#facts(indexAt)
      assertInPlace(name, facts, entries)
      return { facts, entries }
    } catch (error) {
      throw inFile(name, error)
    }
  }

  async #facts(indexAt: number): Promise<PartFacts> {
    const { name } = this.#bytes
    const start = await this.#bytes.read(0, Math.min(headerBytesMax, indexAt))
    const raw = await openBlock(this.#ports, 'header', start.subarray(0, blockLength(start)))
    return parseVersioned(name, raw, partFacts)
  }
}

/** A file that was copied under the name of another one is not that one, though all of its blocks are right. */
function assertInPlace(name: string, facts: PartFacts, entries: readonly PartEntry[]): void {
  if (!isNamed(name, facts)) throw damagedPart(name, 'place')
  let next = facts.from
  for (const { kind, first, count } of entries) {
    if (kind !== 'events') continue
    if (first !== next || count === 0) throw damagedPart(name, 'form')
    next += count
  }
  if (facts.kind === 'log' && next !== facts.to + 1) throw damagedPart(name, 'form')
}

function isNamed(name: string, { kind, from, to, term, revision }: PartFacts): boolean {
  const part = parsePartName(name)
  if (part === undefined || part.kind !== kind || part.from !== from || part.term !== term) return false
  if (part.revision !== revision) return false
  return (part.to ?? to) === to && to >= from
}

/** Entries that follow each other in the file, in pieces that are read at once. */
function runsOf(entries: readonly PartEntry[]): readonly (readonly PartEntry[])[] {
  const runs: PartEntry[][] = []
  let end = -1
  let bytes = 0
  for (const entry of entries) {
    const run = runs.at(-1)
    bytes += entry.length
    if (run !== undefined && entry.offset === end && bytes <= readBytes) run.push(entry)
    else {
      runs.push([entry])
      bytes = entry.length
    }
    end = entry.offset + entry.length
  }
  return runs
}

/** The name of the file is added to an error of one of its blocks. */
function inFile(name: string, error: unknown): unknown {
  if (!(error instanceof StorageError) || error.code !== 'ReplicaCorrupt' || error.details['file'] !== undefined)
    return error
  return new StorageError('ReplicaCorrupt', error.message, { details: { ...error.details, file: name }, cause: error })
}

const damagedPart = (name: string, kind: 'form' | 'place'): StorageError =>
  replicaCorrupt(kind, `The file ${name} of the replica is damaged.`, name)

/** Another process may have replaced it by a file with more events. */
const missingPart = (name: string): StorageError =>
  replicaCorrupt('missing', `The replica has no file ${name} any more.`, name)
