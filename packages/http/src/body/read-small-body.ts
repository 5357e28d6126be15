import { GrowingBytes } from '@varve/core'
import type { Holding } from '../budgets/request-budget.ts'
import { S3Error } from '../errors/errors.ts'

/**
 * Reads the whole body of a document.
 * @throws S3Error `MaxMessageLengthExceeded` as soon as the body exceeds `bytesMax`, `SlowDown` when there is no room
 * for the bytes that arrived. The source is closed.
 */
export async function readSmallBody(
  source: AsyncIterable<Uint8Array>,
  bytesMax: number,
  budget?: Pick<Holding, 'holdDocument'>,
): Promise<Uint8Array> {
  const gathered = new GrowingBytes(bytesMax)
  for await (const piece of source) {
    if (gathered.length + piece.length > bytesMax) {
      throw new S3Error('MaxMessageLengthExceeded', 'Your request was too big.', {
        details: { MaxMessageLengthBytes: String(bytesMax) },
      })
    }
    budget?.holdDocument(gathered.growth(piece.length))
    gathered.push(piece)
  }
  return gathered.bytes
}
