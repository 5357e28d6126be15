/** The blobs whose erasure a page of events of another store records. */
import type { Content, Erasure } from '../events/index.ts'
import type { BlobId } from '../ports/index.ts'
import type { Rows } from '../views/row-reader.ts'
import { dataKeyTable, partTable } from '../views/tables.ts'

export class ErasedBlobs {
  /** Their bytes are rows. */
  readonly inline: BlobId[] = []
  readonly stored: BlobId[] = []
  /** The keys of the rows with their data keys. */
  readonly dataKeys: Uint8Array[] = []

  /** Call it before the event is projected: then the rows of its parts are gone. */
  async add(rows: Rows, erased: readonly Erasure[]): Promise<void> {
    for (const { content, partNumbers = [] } of erased) {
      this.#addBlob(content)
      if (content.kind !== 'parts') continue
      for (const partNumber of partNumbers) {
        const part = await rows.get(partTable.key(content.upload, partNumber))
        if (part !== undefined) this.#addBlob(part.content)
      }
    }
  }

  #addBlob(content: Content): void {
    if (content.kind !== 'blob') return
    const { blob, sealed } = content
    const ids = blob.inline ? this.inline : this.stored
    ids.push(blob.id)
    if (sealed !== undefined) this.dataKeys.push(dataKeyTable.key(blob.id))
  }
}
