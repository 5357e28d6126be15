/** Finds which of some blobs the log names and has not erased. It decides finally which blobs may be deleted. */
import type { Content, Erasure } from '../events/index.ts'
import type { BlobId, Hashing, Journal, Seq } from '../ports/index.ts'
import { readLog } from '../events/log.ts'

export async function namedInLog(
  log: { readonly journal: Journal; readonly hashing: Hashing },
  to: Seq,
  candidates: ReadonlySet<BlobId>,
): Promise<ReadonlySet<BlobId>> {
  const named = new Set<BlobId>()
  /** Blobs of parts, by the upload and part number that an erasure gives. */
  const parts = new Map<string, BlobId>()
  for await (const { event } of readLog(log, { to })) {
    if (event.type === 'VersionAdded' || event.type === 'PartAdded') {
      const id = blobOf(event.data.content)
      if (id === undefined || !candidates.has(id)) continue
      named.add(id)
      if (event.type === 'PartAdded') parts.set(partName(event.data.upload, event.data.partNumber), id)
    } else if (event.type === 'ContentsErased') {
      for (const erasure of event.data.erased) for (const id of erasedBy(erasure, parts)) named.delete(id)
    }
  }
  return named
}

const blobOf = (content: Content): BlobId | undefined => (content.kind === 'blob' ? content.blob.id : undefined)

const partName = (upload: Seq, partNumber: number): string => `${upload}/${partNumber}`

function erasedBy({ content, partNumbers = [] }: Erasure, parts: ReadonlyMap<string, BlobId>): readonly BlobId[] {
  if (content.kind === 'blob') return [content.blob.id]
  if (content.kind === 'empty') return []
  return partNumbers.flatMap((partNumber) => parts.get(partName(content.upload, partNumber)) ?? [])
}
