/** Checks the bytes of a blob that is read once from its beginning to its end. */
import { CrcChunks } from '../bytes/crc-chunks.ts'
import { corrupt } from '../content/blob-reader.ts'
import type { BlobRef } from '../events/index.ts'
import type { ByteSource, Hashing } from '../ports/index.ts'

/** The bytes as they come. The last step fails if they are not those of the blob. @throws StorageError `BlobCorrupt` */
export async function* checkedBlob(hashing: Hashing, blob: BlobRef, source: ByteSource): ByteSource {
  const crcs = new CrcChunks(hashing)
  let size = 0
  for await (const chunk of source) {
    crcs.update(chunk)
    size += chunk.length
    yield chunk
  }
  if (size !== blob.size) throw corrupt(blob, 'size')
  if (crcs.finish() !== blob.crcs) throw corrupt(blob, 'checksum')
}
