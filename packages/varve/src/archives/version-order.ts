/** Checks that the versions of an archive are in their order, each once, and at the paths that belong to their keys. */
import { checkKey } from '@varve/core'
import { archiveCorrupt, asCorrupt } from './archive-error.ts'
import type { ArchivedVersion } from './documents.ts'
import { MemberPaths } from './member-paths.ts'

const bytesOf = (text: string): Buffer => Buffer.from(text, 'utf8')

export class VersionOrder {
  readonly #paths = new MemberPaths()
  readonly #withHistory: boolean
  #before: ArchivedVersion | undefined

  constructor(withHistory: boolean) {
    this.#withHistory = withHistory
  }

  /** @throws StorageError `ArchiveCorrupt` */
  take(version: ArchivedVersion, member: string): void {
    const { key, seq, superseded } = version
    try {
      checkKey(key)
    } catch (error) {
      throw asCorrupt(error, member)
    }
    this.#checkPlace(version, member)
    if (!this.#withHistory && (superseded !== undefined || version.kind === 'marker')) {
      throw archiveCorrupt('document', 'it belongs to a history, and the archive has none', member)
    }
    const path = superseded === undefined ? this.#paths.newest(key) : this.#paths.older(key, seq)
    checkFields(version, path, member)
    this.#before = version
  }

  /** @throws StorageError `ArchiveCorrupt` if a version is missing at the end */
  end(member: string): void {
    if (this.#before?.superseded !== undefined) throw archiveCorrupt('order', 'a version is missing before it', member)
  }

  #checkPlace({ key, seq, versionId }: ArchivedVersion, member: string): void {
    const before = this.#before
    if (before === undefined) return
    const order = Buffer.compare(bytesOf(before.key), bytesOf(key))
    const next = before.superseded
    const isNext = next === undefined ? order < 0 : order === 0 && next.seq === seq && next.versionId === versionId
    if (isNext && (order < 0 || before.seq < seq)) return
    throw archiveCorrupt('order', 'the version does not belong here', member)
  }
}

function checkFields(version: ArchivedVersion, path: string, member: string): void {
  const { kind, absent, size, etag, sha256 } = version
  const isWhole =
    kind === 'marker'
      ? size === undefined && absent === undefined
      : size !== undefined && etag !== undefined && (sha256 === undefined) === (absent !== undefined)
  if (!isWhole) throw archiveCorrupt('document', 'size, etag and sha256 do not fit together', member)
  const expected = kind === 'marker' || absent !== undefined ? undefined : path
  if (version.path !== expected) throw archiveCorrupt('document', 'the path is not that of the key', member)
}
