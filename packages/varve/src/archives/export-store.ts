/** Writes a whole store to an archive: docs/archives.md has the format. */
import { resolve } from 'node:path'
import { nodeHashing } from '@varve/adapters'
import {
  type AbsentFromCopy,
  type BlobHandle,
  type BlobId,
  type BlobStore,
  type BlobRef,
  explainAbsent,
  type Hashing,
  isStorageError,
  type Journal,
  type Keyring,
  logPieces,
  type Moment,
  type MoveSource,
  openedParts,
  positionOfMoment,
  readBlob,
  RunBuffers,
  type Seq,
  type Store,
  StorageError,
  unseenBlobs,
} from '@varve/core'
import { directoryPlace } from '../moving/directory-place.ts'
import type { ArchiveTarget, ExportStoreOptions } from './archive-arguments.ts'
import { toArchiveFile } from './archive-file.ts'
import { archivePacking } from './archive-packing.ts'
import { archiveFormat, documentBytes, endPath, manifestPath, type StoreManifest } from './documents.ts'
import { blobPath, type StoreArchiveCounts, type StoreArchiveEnd } from './store-documents.ts'
import { type ByteSink, TarWriter } from './tar-writer.ts'
import { toStream } from './to-stream.ts'

/** What was written. */
export interface StoreArchiveWritten extends StoreArchiveCounts {
  /** The position of the last event in the archive. */
  readonly seq: Seq
  /** Bytes of the archive. */
  readonly size: number
  /** How many of the absent contents no event says are erased: the store has lost them. `verify` names them. */
  readonly lost: number
  /** The digest of the last member, hex. */
  readonly sha256: string
}

/** As the call of this name in `archives.ts`, which has checked the arguments. */
export async function exportStore(
  from: Store | string,
  target: ArchiveTarget,
  { at, overwrite = false, keyring, signal, onProgress }: ExportStoreOptions,
): Promise<StoreArchiveWritten> {
  signal?.throwIfAborted()
  const open = typeof from === 'string' ? () => openDirectory(from, keyring) : async () => ownParts(from)
  const source = await open()
  try {
    const parts = { journal: source.journal, blobs: source.blobs, hashing: await nodeHashing() }
    const to = await lastOf(parts, at, signal)
    const job = { ...parts, to, signal, onProgress, ...(source.isCopy && { open }) }
    const write = (sink: ByteSink) => exportLog(job, sink)
    return await (typeof target === 'string'
      ? toArchiveFile(target, { overwrite }, write)
      : toStream(target, { signal }, write))
  } finally {
    await source.close()
  }
}

type Source = Pick<MoveSource, 'journal' | 'blobs' | 'isCopy'> & { close(): Promise<void> }

const openDirectory = (path: string, keyring: Keyring | undefined): Promise<Source> =>
  directoryPlace(resolve(path), { ...(keyring && { keyring }) }).openSource()

interface Parts {
  readonly journal: Journal
  readonly blobs: BlobStore
  readonly hashing: Hashing
}

/** Bytes that the store shows now are not erased before `close`. */
function ownParts(store: Store): Source {
  const parts = openedParts(store)
  const end = store.owner.beginRead()
  return { ...parts, close: async () => end() }
}

async function lastOf({ journal, hashing }: Parts, at: Moment | undefined, signal?: AbortSignal): Promise<Seq> {
  const head = await journal.head()
  if (head === 0) throw new StorageError('InvalidRequest', 'The store has no event yet: there is nothing to export.')
  return at === undefined
    ? head
    : positionOfMoment({ journal, hashing }, head, { at, now: Date.now(), ...(signal && { signal }) })
}

interface Export extends Parts {
  readonly to: Seq
  readonly signal: AbortSignal | undefined
  readonly onProgress: ExportStoreOptions['onProgress']
  /** Opens the store again as it is now, where the parts are a copy of it as it was. */
  readonly open?: () => Promise<Source>
}

async function exportLog(job: Export, sink: ByteSink): Promise<StoreArchiveWritten> {
  const { journal, blobs, hashing, to, signal, onProgress } = job
  const tar = new TarWriter(sink)
  const manifest: StoreManifest = { format: 'varve-archive', version: archiveFormat, contents: 'store', seq: to }
  await tar.file(manifestPath, documentBytes(manifest))
  const counts = { events: 0, blobs: 0, bytes: 0, absent: 0 }
  const buffers = new RunBuffers()
  const absent = new Set<BlobId>()
  const leftOut = await unseenBlobs(journal, hashing)
  for await (const piece of logPieces({ journal, hashing, ports: { hashing, packing: archivePacking }, to, leftOut })) {
    signal?.throwIfAborted()
    await tar.file(piece.name, piece.bytes)
    for (const blob of piece.blobs) {
      signal?.throwIfAborted()
      const handle = leftOut.has(blob.id) ? undefined : await openIfThere(blobs, blob)
      if (handle === undefined) {
        counts.absent++
        absent.add(blob.id)
      } else {
        const reading = { blobs: { open: async () => handle }, hashing, buffers, reuseBuffers: true }
        const bytes = readBlob(reading, blob, { start: 0, end: blob.size })
        await tar.stream({ path: blobPath(blob.id), size: blob.size }, bytes, 0)
        counts.blobs++
        counts.bytes += blob.size
      }
      onProgress?.({ ...counts })
    }
    counts.events += piece.to - piece.from + 1
    counts.absent += piece.absent
    for (const id of piece.absentIds) absent.add(id)
    onProgress?.({ ...counts })
  }
  const { unexplained, lost } = await explain(job, absent)
  const excused = unexplained - lost.length
  const end: StoreArchiveEnd = {
    ...counts,
    members: tar.members,
    sha256: tar.sha256(),
    ...(excused > 0 && { excused }),
  }
  await tar.file(endPath, documentBytes(end))
  await tar.end()
  return { ...counts, lost: lost.length, seq: to, size: tar.bytes, sha256: end.sha256 }
}

/** The owner of the store may have erased bytes behind the moment of the copy that is read. */
async function explain({ journal, hashing, to, open }: Export, absent: ReadonlySet<BlobId>): Promise<AbsentFromCopy> {
  const known = await explainAbsent({ journal, hashing }, absent, to)
  if (known.lost.length === 0 || open === undefined) return known
  const now = await open()
  try {
    return await explainAbsent({ journal: now.journal, hashing }, absent, to)
  } finally {
    await now.close()
  }
}

/** What is missing was erased, or is lost: the log tells. */
async function openIfThere(blobs: BlobStore, { id }: BlobRef): Promise<BlobHandle | undefined> {
  try {
    return await blobs.open(id)
  } catch (error) {
    if (isStorageError(error, 'BlobMissing')) return undefined
    throw error
  }
}
