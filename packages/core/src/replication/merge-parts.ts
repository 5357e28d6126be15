/**
 * Joins files of a replica, so that a log of any length is in few of them: eight that follow each other become one of the next level. The
 * bytes are read from the replica itself. So each of them is checked again, and the store need not have them any more.
 */
import type { PartEntry, PartFacts } from './part-form.ts'
import { replicaFormat } from './replica-files-json.ts'
import { replicaCorrupt } from './replica-corrupt.ts'
import type { LinePart, LinePiece } from './replica-line.ts'
import { levelMax, partName } from './replica-names.ts'
import { type PartPorts, StoredPart } from './stored-part.ts'
import { BlockFiller, createPart, type PartBlock } from './write-part.ts'

/** So many files of a level become one of the next. */
export const mergedAtOnce = 8
/** A file does not become larger by joining, in bytes: a restore can fetch several at once. */
const logBytesMax = 256 * 1024 * 1024
const rowsBytesMax = 64 * 1024 * 1024
/** Blocks of fewer bytes, as they are unpacked, are packed again, together. */
const smallBytes = 64 * 1024

/** The first files of the log that are to be joined, so that none is left behind. `undefined` if there are not enough. */
export function dueForMerge(log: readonly LinePiece[], atOnce = mergedAtOnce): readonly LinePart[] | undefined {
  for (let end = atOnce; end <= log.length; end++) {
    const run = log.slice(end - atOnce, end)
    if (isMergeable(run)) return run.map(({ part }) => part)
  }
  return undefined
}

function isMergeable(run: readonly LinePiece[]): boolean {
  const level = run[0]?.part.level ?? levelMax
  const size = run.reduce((sum, { part }) => sum + part.size, 0)
  const isEven = run.every(({ part, from, to }) => part.level === level && part.from === from && part.to === to)
  return isEven && level < levelMax && size <= logBytesMax
}

/** What was joined. The files that it was made of can be deleted. */
export interface Merged {
  readonly log: LinePart
  /** Absent if no event of these brought short bytes, or if their files are large enough. */
  readonly rows: LinePart | undefined
  readonly replaced: readonly LinePart[]
}

export interface Merge extends PartPorts {
  /** The term of the writer that joins. */
  readonly term: number
  /** How many files become one. @default 8 */
  readonly atOnce?: number
}

/**
 * Joins files that follow each other. `rows`: all files with short bytes of the replica.
 * @throws StorageError `ReplicaCorrupt`, and nothing was deleted
 */
export async function mergeParts(ports: Merge, log: readonly LinePart[], rows: readonly LinePart[]): Promise<Merged> {
  const parts = await openAll(ports, log)
  assertChained(parts)
  const [first, last] = [parts[0] as StoredPart, parts.at(-1) as StoredPart]
  const level = (log[0] as LinePart).level + 1
  const facts: PartFacts = {
    format: replicaFormat,
    kind: 'log',
    store: first.facts.store,
    term: ports.term,
    from: first.facts.from,
    to: last.facts.to,
    prev: first.facts.prev,
    last: last.facts.last,
    times: [first.facts.times[0], last.facts.times[1]],
    absent: parts.reduce((sum, part) => sum + part.facts.absent, 0),
  }
  const withRows = await rowsToMerge(ports, parts, { rows, level })
  // The log comes last: where it is found, so are the bytes that its events brought.
  const merged = withRows && (await create(ports, { ...facts, kind: 'rows' }, level, rowBlocks(ports, withRows.parts)))
  const whole = await create(ports, facts, level, eventBlocks(ports, parts))
  return { log: whole, rows: merged, replaced: [...log, ...(withRows?.replaced ?? [])] }
}

interface RowsToMerge {
  readonly parts: readonly StoredPart[]
  readonly replaced: readonly LinePart[]
}

/** Files of level 0 have rows of their own, which must go elsewhere. Others are joined if they are small. */
async function rowsToMerge(
  ports: PartPorts,
  log: readonly StoredPart[],
  { rows, level }: { readonly rows: readonly LinePart[]; readonly level: number },
): Promise<RowsToMerge | undefined> {
  const [from, to] = [log[0]?.facts.from ?? 0, log.at(-1)?.facts.to ?? 0]
  if (level === 1) return log.some(hasRows) ? { parts: log, replaced: [] } : undefined
  const within = rows.filter((part) => part.from >= from && part.to <= to)
  const isSmall = within.reduce((sum, { size }) => sum + size, 0) <= rowsBytesMax
  if (within.length < 2 || !isSmall) return undefined
  return { parts: await openAll(ports, within), replaced: within }
}

const hasRows = ({ entries }: StoredPart): boolean => entries.some(({ kind }) => kind !== 'events')

async function openAll(ports: PartPorts, parts: readonly LinePart[]): Promise<readonly StoredPart[]> {
  const opened: StoredPart[] = []
  for (const part of parts) opened.push(await StoredPart.open(ports, part))
  return opened
}

function assertChained(parts: readonly StoredPart[]): void {
  for (const [i, { name, facts }] of parts.entries()) {
    const before = parts[i - 1]?.facts
    if (before === undefined || (facts.from === before.to + 1 && facts.prev === before.last)) continue
    throw replicaCorrupt('chain', `The file ${name} of the replica does not continue the one before.`, name)
  }
}

/** A file that is there already is one of an attempt whose answer was lost, or that was cut before it deleted what it had joined. */
async function create(
  ports: Merge,
  facts: PartFacts,
  level: number,
  blocks: AsyncIterable<PartBlock>,
): Promise<LinePart> {
  const { kind, from, to, term } = facts
  const named = { kind, level, from, to, term } as const
  const name = partName(named)
  const size = await createPart(ports, name, facts, blocks)
  if (size !== undefined) return { ...named, name, size }
  for await (const file of ports.files.list(name)) {
    if (file.name !== name) continue
    await StoredPart.open(ports, file)
    return { ...named, ...file }
  }
  throw replicaCorrupt('missing', `The file ${name} of the replica is there, and is not listed.`, name)
}

/** The blocks of some kind of the files, in their order. */
async function* blocksOf(parts: readonly StoredPart[], kind: PartEntry['kind']) {
  for (const part of parts) {
    const entries = part.entries.filter((entry) => entry.kind === kind)
    for await (const block of part.sealedBlocks(entries)) yield { part, ...block }
  }
}

/** Events stay in their order, so what was collected goes before a block that is taken as it is. */
async function* eventBlocks(ports: PartPorts, parts: readonly StoredPart[]): AsyncGenerator<PartBlock> {
  const filler = new BlockFiller(ports, 'events')
  for await (const { part, entry, sealed } of blocksOf(parts, 'events')) {
    const { block, rawBytes } = part.checkedBlock(entry, sealed)
    if (rawBytes >= smallBytes) {
      if (!filler.isEmpty) yield filler.block()
      yield block
      continue
    }
    for (const { seq, bytes } of await part.eventsIn(entry, sealed))
      if (filler.addEvent(seq, bytes)) yield filler.block()
  }
  if (!filler.isEmpty) yield filler.block()
}

async function* rowBlocks(ports: PartPorts, parts: readonly StoredPart[]): AsyncGenerator<PartBlock> {
  for (const kind of ['inline', 'keys'] as const) yield* rowBlocksOf(kind, ports, parts)
}

async function* rowBlocksOf(
  kind: 'inline' | 'keys',
  ports: PartPorts,
  parts: readonly StoredPart[],
): AsyncGenerator<PartBlock> {
  const filler = new BlockFiller(ports, kind)
  for await (const { part, entry, sealed } of blocksOf(parts, kind)) {
    const { block, rawBytes } = part.checkedBlock(entry, sealed)
    if (rawBytes >= smallBytes) {
      yield block
      continue
    }
    for (const { id, bytes } of await part.rowsIn(entry, sealed)) if (filler.addRow(id, bytes)) yield filler.block()
  }
  if (!filler.isEmpty) yield filler.block()
}
