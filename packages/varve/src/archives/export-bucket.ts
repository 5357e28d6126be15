/** Writes the archive of a bucket: docs/archives.md has the format. */
import { checkKey, type PastStore, type Seq, StorageError } from '@varve/core'
import type { ExportedStore } from './archived-store.ts'
import {
  type ArchiveCounts,
  type ArchivedBucket,
  type ArchivedVersion,
  type ArchiveEnd,
  type ArchiveManifest,
  archiveFormat,
  bucketPath,
  documentBytes,
  endPath,
  eventsPath,
  manifestPath,
  metadataPath,
  readVersion,
} from './documents.ts'
import { type ExportedVersion, exportedVersions } from './exported-versions.ts'
import { MemberPaths } from './member-paths.ts'
import { type ByteSink, TarWriter } from './tar-writer.ts'

/** What goes into an archive of a bucket. */
export interface BucketExport {
  readonly bucket: string
  readonly past: PastStore
  /** The events to add. Absent: the newest versions alone. */
  readonly history?: { readonly from: Seq; readonly to: Seq } | undefined
  readonly signal?: AbortSignal | undefined
  onProgress?: ((counts: ArchiveCounts) => void) | undefined
}

/** What was written. */
export interface ArchiveWritten extends ArchiveCounts {
  /** Bytes of the archive. */
  readonly size: number
  /** The digest of the last member, hex. */
  readonly sha256: string
}

export async function exportBucket(store: ExportedStore, job: BucketExport, sink: ByteSink): Promise<ArchiveWritten> {
  const { past, bucket, history, signal } = job
  const archive = new ArchiveWriter(sink, job.onProgress)
  const manifest: ArchiveManifest = {
    format: 'varve-archive',
    version: archiveFormat,
    contents: 'bucket',
    history: history !== undefined,
    seq: past.seq,
  }
  await archive.document(manifestPath, manifest)
  await archive.document(bucketPath, await archivedBucket(past, bucket))
  for await (const version of exportedVersions({ past, bucket, withHistory: history !== undefined, signal })) {
    await archive.version(version)
  }
  if (history !== undefined) {
    for await (const event of store.log({ bucket, ...history, ...(signal && { signal }) })) await archive.event(event)
  }
  return archive.end()
}

async function archivedBucket(past: PastStore, bucket: string): Promise<ArchivedBucket> {
  const { name, owner, region, createdAt, versioning } = await past.buckets.head(bucket)
  return {
    name,
    owner: { id: owner.id, name: owner.name },
    region,
    createdAt: createdAt.toISOString(),
    ...(versioning !== undefined && { versioning }),
    settings: await past.buckets.settings.all(bucket),
  }
}

/** Releases before 0.1 took keys and metadata that no reader of an archive accepts. @throws StorageError `InvalidRequest` */
function expressed(document: ArchivedVersion): Uint8Array {
  const bytes = documentBytes(document)
  try {
    checkKey(document.key)
    readVersion(bytes, document.key)
    return bytes
  } catch (cause) {
    const message = `The object ${JSON.stringify(document.key)} has a key or metadata that an archive cannot express.`
    throw new StorageError('InvalidRequest', message, { details: { key: document.key }, cause })
  }
}

const eventsMax = 1000
const eventBytesMax = 1024 * 1024

class ArchiveWriter {
  readonly #tar: TarWriter
  readonly #paths = new MemberPaths()
  readonly #onProgress: BucketExport['onProgress']
  readonly #counts = { objects: 0, markers: 0, absent: 0, bytes: 0, events: 0 }
  #lines: string[] = []
  #lineBytes = 0
  #parts = 0

  constructor(sink: ByteSink, onProgress: BucketExport['onProgress']) {
    this.#tar = new TarWriter(sink)
    this.#onProgress = onProgress
  }

  document(path: string, document: object): Promise<void> {
    return this.#tar.file(path, documentBytes(document))
  }

  async version({ facts, isNewest, held, read }: ExportedVersion): Promise<void> {
    const counts = this.#counts
    counts[facts.kind === 'marker' ? 'markers' : 'objects']++
    if (facts.absent !== undefined) counts.absent++
    const { key, seq, size = 0, lastModified } = facts
    const path = isNewest ? this.#paths.newest(key) : this.#paths.older(key, seq)
    const document: ArchivedVersion = read === undefined ? facts : { ...facts, path }
    await this.#tar.file(metadataPath(counts.objects + counts.markers), expressed(document))
    const mtime = Math.floor(Date.parse(lastModified) / 1000)
    if (held !== undefined && read !== undefined) await this.#tar.file(path, held, mtime)
    else if (read !== undefined) await this.#tar.stream({ path, size }, read(), mtime)
    if (read !== undefined) counts.bytes += size
    this.#onProgress?.({ ...counts })
  }

  async event(event: object): Promise<void> {
    const line = `${JSON.stringify(event)}\n`
    this.#counts.events++
    this.#lineBytes += line.length
    if (this.#lines.push(line) >= eventsMax || this.#lineBytes >= eventBytesMax) await this.#flush()
  }

  async end(): Promise<ArchiveWritten> {
    await this.#flush()
    const sha256 = this.#tar.sha256()
    const end: ArchiveEnd = { ...this.#counts, members: this.#tar.members, sha256 }
    await this.document(endPath, end)
    await this.#tar.end()
    return { ...this.#counts, size: this.#tar.bytes, sha256 }
  }

  async #flush(): Promise<void> {
    if (this.#lines.length === 0) return
    const body = new TextEncoder().encode(this.#lines.join(''))
    this.#lines = []
    this.#lineBytes = 0
    await this.#tar.file(eventsPath(++this.#parts), body)
  }
}
