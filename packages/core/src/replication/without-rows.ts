/**
 * Takes rows out of a file of a replica: writes a later revision of it without them. The file before can then be deleted; where both are,
 * the later one counts.
 */
import { isStorageError } from '../base/errors.ts'
import type { BlobId } from '../ports/index.ts'
import type { PartEntry, PartFacts } from './part-form.ts'
import type { LinePart } from './replica-line.ts'
import { nextRevision, revisionName } from './replica-names.ts'
import { idsOf, type PartPorts, StoredPart } from './stored-part.ts'
import { BlockFiller, createPart, type PartBlock } from './write-part.ts'

/** What takes the place of a file. */
export interface Rewritten {
  /** Absent if nothing was left in the file. */
  readonly part?: LinePart
}

/** `undefined` if the file has none of these rows. @throws StorageError `ReplicaCorrupt` if it is damaged; what the target throws */
export async function withoutRows(
  ports: PartPorts & { readonly term: number },
  part: LinePart,
  ids: ReadonlySet<BlobId>,
): Promise<Rewritten | undefined> {
  const stored = await StoredPart.open(ports, part)
  if (!hasAny(stored, ids)) return undefined
  if (part.kind === 'rows' && stored.entries.every((entry) => idsOf(entry).every((id) => ids.has(id)))) return {}
  for (let revision = nextRevision(part.revision, ports.term); ; revision++) {
    const name = revisionName(part, revision)
    const facts: PartFacts = { ...stored.facts, revision }
    const size = await createPart(ports, name, facts, keptBlocks(ports, stored, ids))
    if (size !== undefined) return { part: { ...part, revision, name, size } }
    const found = await whatIsThere(ports, { ...part, revision, name }, ids)
    if (found !== undefined) return { part: found }
  }
}

const hasAny = ({ entries }: StoredPart, ids: ReadonlySet<BlobId>): boolean =>
  entries.some((entry) => entry.kind !== 'events' && idsOf(entry).some((id) => ids.has(id)))

/** An attempt whose answer was lost has written the file; or one that had other rows to take out, or that was cut off. */
async function whatIsThere(ports: PartPorts, part: LinePart, ids: ReadonlySet<BlobId>): Promise<LinePart | undefined> {
  for await (const file of ports.files.list(part.name)) {
    if (file.name !== part.name) continue
    try {
      const stored = await StoredPart.open(ports, file)
      return hasAny(stored, ids) ? undefined : { ...part, ...file }
    } catch (error) {
      if (!isStorageError(error, 'ReplicaCorrupt')) throw error
    }
  }
  return undefined
}

async function* keptBlocks(ports: PartPorts, part: StoredPart, ids: ReadonlySet<BlobId>): AsyncGenerator<PartBlock> {
  for await (const { entry, sealed } of part.sealedBlocks(part.entries)) {
    if (entry.kind === 'events' || !idsOf(entry).some((id) => ids.has(id))) yield part.checkedBlock(entry, sealed).block
    else
      yield* keptRows(
        ports,
        entry,
        (await part.rowsIn(entry, sealed)).filter(({ id }) => !ids.has(id)),
      )
  }
}

async function* keptRows(
  ports: PartPorts,
  { kind }: PartEntry,
  rows: readonly { readonly id: BlobId; readonly bytes: Uint8Array }[],
): AsyncGenerator<PartBlock> {
  const filler = new BlockFiller(ports, kind)
  for (const { id, bytes } of rows) if (filler.addRow(id, bytes)) yield filler.block()
  if (!filler.isEmpty) yield filler.block()
}
