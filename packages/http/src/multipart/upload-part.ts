import { partChecksumHeaders } from '../objects/checksums.ts'
import { asCustomerKey, writtenKey } from '../encryption/customer-key.ts'
import { checkRepeatedEncryption, encryptionAnswer } from '../encryption/encryption-headers.ts'
import { quoteEtag } from '../headers/etags.ts'
import { partOf } from './upload-params.ts'
import { explainWriteError } from '../objects/write-errors.ts'
import { emptyAnswer } from '../contract/answer.ts'
import type { ObjectOperation } from '../contract/operation.ts'

/** Checks the upload before it reads the bytes, which may be 5 GiB. */
export const uploadPart: ObjectOperation = async (context) => {
  const { store, body, client, headers } = context
  const { upload, partNumber } = partOf(context)
  await checkRepeatedEncryption(context, upload)

  const options = {
    ...body.checks(),
    ...asCustomerKey(writtenKey(headers)),
    everyPartChecksum: true,
    ...(body.isLong && { signal: client.signal }),
  }
  const part = await store.uploads.uploadPart(upload, partNumber, body.stream(), options).catch(explainWriteError)

  return emptyAnswer(200, {
    etag: quoteEtag(part.etag),
    ...partChecksumHeaders(part.checksum),
    ...encryptionAnswer(part, headers),
  })
}
