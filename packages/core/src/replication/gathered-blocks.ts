/** The blocks of a file that takes gathered events: the events, and the rows that they brought. */
import type { BlobId, Journal } from '../ports/index.ts'
import type { Brought } from '../events/brought-blob.ts'
import type { SideRowKind } from '../ports/index.ts'
import { sideRowKey } from '../views/side-row-key.ts'
import type { BlockPorts } from './block.ts'
import type { GatheredEvents } from './gather-part.ts'
import { BlockFiller, type PartBlock } from './write-part.ts'

interface RowSource {
  readonly journal: Pick<Journal, 'getMany'>
  readonly ports: BlockPorts
  /** Called for each row that is not there: it was erased. */
  isAbsent(id: BlobId): void
}

/** Short bytes and wrapped keys. */
export async function rowBlocks(source: RowSource, brought: readonly Brought[]): Promise<readonly PartBlock[]> {
  const inline = brought.filter(({ content }) => content.blob.inline)
  const sealed = brought.filter(({ content }) => content.sealed !== undefined)
  return [...(await blocksOfKind(source, 'inline', inline)), ...(await blocksOfKind(source, 'keys', sealed))]
}

async function blocksOfKind(
  { journal, ports, isAbsent }: RowSource,
  kind: SideRowKind,
  brought: readonly Brought[],
): Promise<readonly PartBlock[]> {
  if (brought.length === 0) return []
  const values = await journal.getMany(brought.map(({ id }) => sideRowKey(kind, id)))
  const filler = new BlockFiller(ports, kind)
  const blocks: PartBlock[] = []
  for (const [i, { id }] of brought.entries()) {
    const value = values[i]
    if (value === undefined) isAbsent(id)
    else if (filler.addRow(id, value)) blocks.push(await filler.block())
  }
  if (!filler.isEmpty) blocks.push(await filler.block())
  return blocks
}

/** All blocks of the file, in order. */
export async function* gatheredBlocks(
  ports: BlockPorts,
  { events }: GatheredEvents,
  rows: readonly PartBlock[],
): AsyncGenerator<PartBlock> {
  const filler = new BlockFiller(ports, 'events')
  for (const { seq, bytes } of events) if (filler.addEvent(seq, bytes)) yield filler.block()
  if (!filler.isEmpty) yield filler.block()
  yield* rows
}
