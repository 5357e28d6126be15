import { S3Error } from '../errors.ts'

/**
 * Reads a body that is a document, whole.
 * @throws S3Error `MaxMessageLengthExceeded` past `bytesMax`, as soon as that is known; the source is closed.
 */
export async function readSmallBody(source: AsyncIterable<Uint8Array>, bytesMax: number): Promise<Uint8Array> {
  const pieces: Uint8Array[] = []
  let size = 0
  for await (const piece of source) {
    size += piece.length
    if (size > bytesMax) {
      throw new S3Error('MaxMessageLengthExceeded', 'Your request was too big.', {
        details: { MaxMessageLengthBytes: String(bytesMax) },
      })
    }
    pieces.push(piece)
  }
  return Buffer.concat(pieces)
}
