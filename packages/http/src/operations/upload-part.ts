import { partChecksumHeaders } from '../objects/checksums.ts'
import { quoteEtag } from '../objects/etags.ts'
import { partOf } from '../objects/upload-params.ts'
import { explainWriteError } from '../objects/write-errors.ts'
import { emptyAnswer } from './answer.ts'
import type { ObjectOperation } from './operation.ts'

/** Checks the upload before the bytes: nobody sends 5 GiB to hear that there is nothing to send them to. */
export const uploadPart: ObjectOperation = async (context) => {
  const { store, body, client } = context
  const { upload, partNumber } = partOf(context)

  const checks = { ...body.checks(), ...(body.isLong && { signal: client.signal }) }
  const part = await store.uploads.uploadPart(upload, partNumber, body.stream(), checks).catch(explainWriteError)

  return emptyAnswer(200, { etag: quoteEtag(part.etag), ...partChecksumHeaders(part.checksum) })
}
