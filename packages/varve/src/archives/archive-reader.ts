/**
 * Reads the archive of a bucket from its first byte to its last, and checks everything that the format promises. Memory
 * is bounded by the largest document, whatever the archive claims.
 */
import { StorageError } from '@varve/core'
import { archiveCorrupt } from './archive-error.ts'
import { CheckedContent } from './checked-content.ts'
import {
  type ArchiveCounts,
  type ArchivedBucket,
  type ArchivedVersion,
  type ArchiveManifest,
  bucketPath,
  documentMax,
  endPath,
  eventsPath,
  metadataPath,
  readBucket,
  readEnd,
  readVersion,
} from './documents.ts'
import { type ArchivedEvent, EventLines } from './event-lines.ts'
import { openArchive } from './open-archive.ts'
import type { TarReader } from './tar-reader.ts'
import { VersionOrder } from './version-order.ts'

/** A version of an archive. */
export interface ReadVersion {
  readonly facts: ArchivedVersion
  /** Until the next version is requested, and once. Absent for delete markers and absent contents. */
  readonly content?: CheckedContent
}

/** What was read, with the digest of the last member. */
export interface ArchiveRead extends ArchiveCounts {
  readonly size: number
  readonly sha256: string
}

export class ArchiveReader {
  readonly manifest: ArchiveManifest
  readonly tar: TarReader

  constructor(tar: TarReader, manifest: ArchiveManifest) {
    this.tar = tar
    this.manifest = manifest
  }

  /** Opens an archive of a bucket. @throws StorageError `ArchiveCorrupt`, `UnsupportedFormat`; `InvalidArgument` for one of a store */
  static async open(source: AsyncIterable<Uint8Array>): Promise<ArchiveReader> {
    const { tar, manifest } = await openArchive(source)
    if (manifest.contents === 'bucket') return new ArchiveReader(tar, manifest)
    await tar.close()
    throw new StorageError('InvalidArgument', 'The archive has a whole store: import it into a directory.', {
      details: { ArgumentName: 'from', kind: 'store' },
    })
  }

  /** The bucket of an archive of one. @throws StorageError `ArchiveCorrupt` */
  async bucket(): Promise<ArchivedBucket> {
    const { path } = await this.tar.next()
    if (path !== bucketPath) throw archiveCorrupt('order', 'the facts of the bucket are missing', path)
    return readBucket(await this.tar.whole(documentMax))
  }

  /** The versions, and what was read when all is read. A content that was not read is checked too. */
  async *versions(onEvent?: (event: ArchivedEvent) => void): AsyncGenerator<ReadVersion, ArchiveRead> {
    const { tar } = this
    const counts = { objects: 0, markers: 0, absent: 0, bytes: 0, events: 0 }
    const order = new VersionOrder(this.manifest.history)
    let member = await tar.next()
    for (let n = 1; member.path === metadataPath(n); n++) {
      const facts = readVersion(await tar.whole(documentMax), member.path)
      order.take(facts, member.path)
      counts[facts.kind === 'marker' ? 'markers' : 'objects']++
      if (facts.absent !== undefined) counts.absent++
      if (facts.path === undefined) yield { facts }
      else {
        const content = await this.#content(facts, facts.path)
        yield { facts, content }
        await content.drain()
        counts.bytes += facts.size ?? 0
      }
      member = await tar.next()
    }
    order.end(member.path)
    if (this.manifest.history) {
      const lines = new EventLines(onEvent)
      for (let n = 1; member.path === eventsPath(n); n++) {
        lines.take(await tar.whole(documentMax), member.path)
        member = await tar.next()
      }
      counts.events = lines.count
    }
    return this.#end(member.path, counts)
  }

  async #content(facts: ArchivedVersion, path: string): Promise<CheckedContent> {
    const member = await this.tar.next()
    if (member.path !== path)
      throw archiveCorrupt('order', `the content at ${JSON.stringify(path)} is missing`, member.path)
    if (member.size !== facts.size) throw archiveCorrupt('digest', 'its size is not that of its metadata', path)
    return new CheckedContent(facts, this.tar.body())
  }

  async #end(path: string, counts: ArchiveCounts): Promise<ArchiveRead> {
    const { tar } = this
    if (path !== endPath) throw archiveCorrupt('order', 'the member does not belong here', path)
    const sha256 = tar.digestBefore()
    const end = readEnd(await tar.whole(documentMax))
    if (end.sha256 !== sha256) throw archiveCorrupt('digest', 'the archive is not the one that was written', path)
    const found: Readonly<Record<string, number>> = { ...counts, members: tar.members - 1 }
    for (const [name, count] of Object.entries(found)) {
      if (end[name as keyof typeof end] === count) continue
      throw archiveCorrupt('counts', `it has ${count} ${name}, and should have ${end[name as keyof typeof end]}`, path)
    }
    await tar.end()
    return { ...counts, size: tar.position, sha256 }
  }
}
