/** Imports an archive of a bucket into a store. */
import { type Seq, type SettingValues, StorageError } from '@varve/core'
import type { ArchiveSource, ImportArchiveOptions } from './archive-arguments.ts'
import { ArchiveReader, type ReadVersion } from './archive-reader.ts'
import { ArchivedMoment } from './archived-moment.ts'
import type { ImportingStore } from './archived-store.ts'
import { md5Of } from './checked-content.ts'
import type { ArchivedBucket, ArchivedVersion, ArchiveManifest } from './documents.ts'
import type { ArchivedEvent } from './event-lines.ts'
import { ensureImportBucket } from './ensure-bucket.ts'
import { importEntries } from './import-entries.ts'
import type { ImportCounts, ImportedEntry, ImportedFacts, ImportSize } from './import-entry.ts'
import { abortable, bytesOf } from './source-bytes.ts'
import { type ArchiveVerified, verifyArchive } from './verify-archive.ts'

/** What an import did. */
export interface ArchiveImported extends ImportCounts {
  readonly bucket: string
  /**
   * Versions without content, which were not imported: erased before, or encrypted with a client's key; with `at`, also objects
   * of that moment that were removed for good later.
   */
  readonly absent: number
  /** True if this call created the bucket, with the settings of the archived one. */
  readonly created: boolean
}

/** As the call of this name in `archives.ts`, which has checked the arguments. */
export async function importArchive(
  into: ImportingStore,
  source: ArchiveSource,
  given: ImportArchiveOptions,
): Promise<ArchiveImported> {
  const { signal, verify = true, at } = given
  const moment = at === undefined ? undefined : await archivedMoment(source, at, signal)
  const isVerified = typeof source === 'string' && verify && moment === undefined
  const total = isVerified ? sizeOf(await verifyArchive(source, signal === undefined ? {} : { signal })) : undefined
  const archive = await ArchiveReader.open(abortable(bytesOf(source), signal))
  try {
    return await importBucket(into, { archive, moment, total }, given)
  } finally {
    await archive.tar.close()
  }
}

/** Reads the events, which are at the end of the archive, and verifies the whole of it. */
async function archivedMoment(source: ArchiveSource, at: Seq | Date, signal: AbortSignal | undefined) {
  if (typeof source !== 'string') throw wrongMoment('needs the archive as a file, which is read twice')
  const moment = new ArchivedMoment(at)
  await readHistory(source, signal, { onEvent: (event) => moment.take(event) })
  if (moment.hasRestored) await readHistory(source, signal, { onVersion: (version) => moment.takeVersion(version) })
  return moment
}

interface HistoryReader {
  onEvent?(event: ArchivedEvent): void
  onVersion?(version: ArchivedVersion): void
}

async function readHistory(path: string, signal: AbortSignal | undefined, reader: HistoryReader): Promise<void> {
  const archive = await ArchiveReader.open(abortable(bytesOf(path), signal))
  try {
    if (!archive.manifest.history) throw wrongMoment('needs an archive with history: this one shows one moment alone')
    await archive.bucket()
    for await (const { facts } of archive.versions((event) => reader.onEvent?.(event))) reader.onVersion?.(facts)
  } finally {
    await archive.tar.close()
  }
}

const sizeOf = (verified: ArchiveVerified): ImportSize | undefined =>
  verified.contents === 'bucket' ? { objects: verified.objects + verified.markers, bytes: verified.bytes } : undefined

interface OpenBucket {
  readonly archive: ArchiveReader
  readonly moment: ArchivedMoment | undefined
  /** The size of what is imported, if the archive was verified. */
  readonly total: ImportSize | undefined
}

async function importBucket(
  store: ImportingStore,
  { archive, moment, total }: OpenBucket,
  options: ImportArchiveOptions,
): Promise<ArchiveImported> {
  const { signal, at, onConflict = 'refuse', withAccess = false, onProgress } = options
  if (at !== undefined) assertReached(at, archive.manifest)
  const archived = await archive.bucket()
  const { bucket = archived.name } = options
  const withHistory = archive.manifest.history && archived.versioning !== undefined && moment === undefined
  const created = await ensureImportBucket(store, bucket, {
    versioning: withHistory ? 'Enabled' : archived.versioning,
    settings: settingsOf(archived, withAccess),
    owner: options.owner,
    signal,
  })
  const entries = new ArchivedEntries({ archive, moment, total }, withAccess)
  const job = { bucket, isNew: created, withHistory, onConflict, signal, onProgress, total: () => total }
  const counts = await importEntries(store, job, entries.read())
  return { bucket, created, absent: entries.absent, ...counts }
}

const wrongMoment = (problem: string): StorageError =>
  new StorageError('InvalidArgument', `An import of a moment ${problem}.`, { details: { ArgumentName: 'at' } })

/** @throws StorageError `MomentOutOfRange` for a position after the exported state */
function assertReached(at: Seq | Date, { seq }: ArchiveManifest): void {
  if (typeof at !== 'number' || at <= seq) return
  throw new StorageError('MomentOutOfRange', `The archive ends at position ${seq}, and has no position ${at}.`)
}

/** Access that the owner of this store did not give comes along only if asked. */
function settingsOf({ settings }: ArchivedBucket, withAccess: boolean): Partial<SettingValues> {
  const { Policy: _policy, Acl: _acl, ...others } = settings
  return withAccess ? settings : others
}

class ArchivedEntries {
  readonly #archive: ArchiveReader
  readonly #moment: ArchivedMoment | undefined
  readonly #withAccess: boolean
  /** The version that was given out last. */
  #before: ImportedEntry | undefined
  absent = 0

  constructor({ archive, moment }: OpenBucket, withAccess: boolean) {
    this.#archive = archive
    this.#moment = moment
    this.#withAccess = withAccess
  }

  async *read(): AsyncGenerator<ImportedEntry> {
    for await (const version of this.#archive.versions()) {
      if (!this.#isOfMoment(version.facts)) continue
      const entry = this.#entryOf(version)
      if (entry === undefined) continue
      this.#before = entry
      yield entry
    }
    this.absent += this.#moment?.goneObjects() ?? 0
  }

  #entryOf({ facts, content }: ReadVersion): ImportedEntry | undefined {
    const { key, kind, size = 0, sha256, superseded } = facts
    if (kind === 'marker') return { kind, key }
    if (content !== undefined) {
      const read = () => content.read()
      return { kind, key, size, sha256, md5: md5Of(facts), read, facts: factsOf(facts, this.#withAccess) }
    }
    this.absent++
    // The version before it must not become the newest in its place.
    const exposes = superseded === undefined && this.#before?.kind === 'object' && this.#before.key === key
    return exposes ? { kind: 'marker', key } : undefined
  }

  #isOfMoment(version: ArchivedVersion): boolean {
    const moment = this.#moment
    if (moment === undefined) return true
    if (!moment.isNewest(version)) return false
    moment.forget(version.key)
    return true
  }
}

/** What the import does not choose anew: a retention that has ended is none. */
function factsOf(version: ArchivedVersion, withAccess: boolean): ImportedFacts {
  const {
    kind: _kind,
    key: _key,
    owner: _owner,
    versionId: _id,
    seq: _seq,
    lastModified: _time,
    ...described
  } = version
  const {
    superseded: _next,
    path: _path,
    absent: _absent,
    size: _size,
    etag: _etag,
    sha256: _sha256,
    ...facts
  } = described
  const { acl, retention, encryption, checksum, partsCount: _parts, ...kept } = facts
  return {
    ...kept,
    ...(withAccess && acl && { acl }),
    ...(retention && retention.until > Date.now() && { retention }),
    ...(encryption && encryption.mode !== 'SSE-C' && { encryption: encryptionOf(encryption) }),
    ...(checksum && {
      checksum: { algorithm: checksum.algorithm, ...(checksum.type === 'FULL_OBJECT' && { expected: checksum.value }) },
    }),
  }
}

function encryptionOf({ mode, keyName, bucketKey }: NonNullable<ArchivedVersion['encryption']>) {
  if (mode === 'AES256' || mode === 'SSE-C') return { mode: 'AES256' as const }
  return { mode, ...(keyName !== undefined && { keyName }), ...(bucketKey !== undefined && { bucketKey }) }
}
