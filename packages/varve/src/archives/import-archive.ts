/** Imports an archive of a bucket into a store. */
import { type SettingValues, StorageError } from '@varve/core'
import type { ArchiveSource, ImportArchiveOptions } from './archive-arguments.ts'
import { ArchiveReader } from './archive-reader.ts'
import type { ImportingStore } from './archived-store.ts'
import { md5Of } from './checked-content.ts'
import type { ArchivedBucket, ArchivedVersion, ArchiveManifest } from './documents.ts'
import { ensureImportBucket } from './ensure-bucket.ts'
import { importEntries } from './import-entries.ts'
import type { ImportCounts, ImportedEntry, ImportedFacts } from './import-entry.ts'
import { abortable, bytesOf } from './source-bytes.ts'
import { verifyArchive } from './verify-archive.ts'

/** What an import did. */
export interface ArchiveImported extends ImportCounts {
  readonly bucket: string
  /** Versions without content, which were not imported: erased before, or encrypted with a client's key. */
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
  const { signal, verify = true } = given
  if (typeof source === 'string' && verify) await verifyArchive(source, signal === undefined ? {} : { signal })
  const archive = await ArchiveReader.open(abortable(bytesOf(source), signal))
  try {
    return await importBucket(into, archive, given)
  } finally {
    await archive.tar.close()
  }
}

async function importBucket(
  store: ImportingStore,
  archive: ArchiveReader,
  options: ImportArchiveOptions,
): Promise<ArchiveImported> {
  const { signal, at, onConflict = 'refuse', withAccess = false, onProgress } = options
  if (at !== undefined) checkMoment(at, archive.manifest)
  const archived = await archive.bucket()
  const { bucket = archived.name } = options
  const withHistory = archive.manifest.history && archived.versioning !== undefined && at === undefined
  const created = await ensureImportBucket(store, bucket, {
    versioning: withHistory ? 'Enabled' : archived.versioning,
    settings: settingsOf(archived, withAccess),
    signal,
  })
  const entries = new ArchivedEntries(archive, options)
  const job = { bucket, withHistory, onConflict, signal, onProgress }
  const counts = await importEntries(store, job, entries.read())
  return { bucket, created, absent: entries.absent, ...counts }
}

/** @throws StorageError `InvalidArgument`; `MomentOutOfRange` for a position after the exported state */
function checkMoment(at: number | Date, { history, seq }: ArchiveManifest): void {
  if (!history) throw noHistory()
  if (typeof at !== 'number' || at <= seq) return
  throw new StorageError('MomentOutOfRange', `The archive ends at position ${seq}, and has no position ${at}.`)
}

const noHistory = (): StorageError =>
  new StorageError('InvalidArgument', 'The archive has no history, so it shows one moment alone.', {
    details: { ArgumentName: 'at' },
  })

/** Access that the owner of this store did not give comes along only if asked. */
function settingsOf({ settings }: ArchivedBucket, withAccess: boolean): Partial<SettingValues> {
  const { Policy: _policy, Acl: _acl, ...others } = settings
  return withAccess ? settings : others
}

class ArchivedEntries {
  readonly #archive: ArchiveReader
  readonly #at: number | Date | undefined
  readonly #withAccess: boolean
  absent = 0

  constructor(archive: ArchiveReader, { at, withAccess = false }: ImportArchiveOptions) {
    this.#archive = archive
    this.#at = at
    this.#withAccess = withAccess
  }

  async *read(): AsyncGenerator<ImportedEntry> {
    for await (const { facts, content } of this.#archive.versions()) {
      const { key } = facts
      if (this.#at !== undefined && !isNewestAt(facts, this.#at)) continue
      if (facts.kind === 'marker') yield { kind: 'marker', key }
      else if (content === undefined) this.absent++
      else {
        const { size = 0, sha256 } = facts
        const read = () => content.read()
        yield { kind: 'object', key, size, sha256, md5: md5Of(facts), read, facts: factsOf(facts, this.#withAccess) }
      }
    }
  }
}

/** Whether the version was there, and the one that came after it was not. */
function isNewestAt({ superseded, ...version }: ArchivedVersion, at: number | Date): boolean {
  const isThere = ({ seq, lastModified }: Pick<ArchivedVersion, 'seq' | 'lastModified'>): boolean =>
    typeof at === 'number' ? seq <= at : Date.parse(lastModified) <= at.getTime()
  return isThere(version) && (superseded === undefined || !isThere(superseded))
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
