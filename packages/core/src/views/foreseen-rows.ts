/**
 * The rows that the projection of events reads, as far as the events name them. Where each read is a round trip, they are read
 * together. It is a hint: the projection itself reads whatever is missing here.
 */
import type { Content, RecordedEvent } from '../events/index.ts'
import type { Seq } from '../ports/index.ts'
import { shareTable } from './content-tables.ts'
import { contentId } from './contents.ts'
import type { RowKey } from './row-key.ts'
import { annotationTable, currentTable, partTable, versionTable } from './tables.ts'
import type { VersionRow } from './version-row.ts'

export class ForeseenRows {
  /** Versions that end. Each leads to the row that counts who shares its content. */
  readonly versions: RowKey<VersionRow>[] = []
  readonly others: RowKey<unknown>[] = []
  /** The contents of the versions that these events add, and may end again. */
  readonly #contents = new Map<Seq, Content>()

  constructor(events: readonly RecordedEvent[]) {
    for (const event of events) this.#foresee(event)
  }

  #foresee(event: RecordedEvent): void {
    const { type, data } = event
    switch (type) {
      case 'VersionAdded':
        this.#adds(event.seq, data.content, data.copiedFrom !== undefined)
        return this.#ends(data, data.replaces)
      case 'DeleteMarkerAdded':
      case 'UploadCompleted':
        return this.#ends(data, data.replaces)
      case 'VersionRemoved':
        this.others.push(currentTable.key(data.bucket, data.key))
        this.#ends(data, data.promotes)
        return this.#ends(data, data.version)
      case 'ObjectTagsSet':
      case 'ObjectAclSet':
      case 'ObjectRetentionSet':
      case 'ObjectLegalHoldSet':
        this.others.push(annotationTable.key(data.bucket, data.key, data.version))
        return
      case 'PartAdded':
        this.others.push(partTable.key(data.upload, data.partNumber))
        return
      default:
    }
  }

  #adds(seq: Seq, content: Content, isCopy: boolean): void {
    this.#contents.set(seq, content)
    if (isCopy) this.#shares(content)
  }

  #ends({ bucket, key }: { readonly bucket: string; readonly key: string }, version: Seq | undefined): void {
    if (version === undefined) return
    this.versions.push(versionTable.key(bucket, key, version))
    this.others.push(annotationTable.key(bucket, key, version))
    this.#shares(this.#contents.get(version))
  }

  #shares(content: Content | undefined): void {
    const id = content && contentId(content)
    if (id !== undefined) this.others.push(shareTable.key(id))
  }
}

/** Where it is counted how many versions share the content of a version. */
export function shareKeyOf(row: VersionRow): RowKey<unknown> | undefined {
  const id = row.deleteMarker ? undefined : contentId(row.content)
  return id === undefined ? undefined : shareTable.key(id)
}
