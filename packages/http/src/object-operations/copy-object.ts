import { checkCopySize } from '@varve/core'
import type { CopyOptions, MetadataOptions } from '@varve/core'
import { checksumAlgorithm, checksumElements } from '../objects/checksums.ts'
import { copiedSource, sourceState } from './copied-source.ts'
import { asCustomerKey, sourceKey } from '../encryption/customer-key.ts'
import { encryptionAnswer } from '../encryption/encryption-headers.ts'
import { expirationHeader } from '../objects/expiration-header.ts'
import { checkCopiedTags } from '../tagging/copied-tags.ts'
import { creationOptions } from './creation-options.ts'
import { copyDirective } from './directive.ts'
import { receiptHeaders, receiptOption } from '../objects/receipt-header.ts'
import { quoteEtag } from '../headers/etags.ts'
import { metadataOptions } from '../objects/metadata-in.ts'
import { copySourceConditions } from '../objects/read-conditions.ts'
import { shownVersionId, versionHeaders } from '../objects/shown-version.ts'
import { writeConditions } from '../objects/write-conditions.ts'
import type { RequestHeaders } from '../target/request-headers.ts'
import { element } from '../xml/write.ts'
import { xmlAnswer } from '../contract/answer.ts'
import { timeElement } from '../listings/listing-elements.ts'
import type { CopyOperation } from '../contract/operation.ts'

/** The copy shares the bytes of its source. They are read only for a checksum that the source does not have. */
export const copyObject: CopyOperation = async (context) => {
  const {
    store,
    bucket,
    key,
    source,
    headers,
    options,
    client: { signal },
  } = context
  const algorithm = checksumAlgorithm(headers)
  const from = { ...source, ...asCustomerKey(sourceKey(headers)) }
  const copyOptions = {
    ...copiedMetadata(headers),
    ...creationOptions(context),
    taggingDirective: copyDirective(headers, 'tagging'),
    ...(algorithm !== undefined && { checksumAlgorithm: algorithm }),
    ...writeConditions(headers),
    ...receiptOption(headers),
    signal,
  }
  const state = await sourceState(context)
  const copied = await copiedSource(context, state)
  checkCopySize(copied.size)
  if (copyOptions.taggingDirective === 'COPY') await checkCopiedTags(context)

  const conditions = copySourceConditions(headers)
  const copy = await store.objects.copy({ ...from, conditions }, bucket, key, copyOptions)

  const children = [
    timeElement('LastModified', copy.lastModified),
    element('ETag', quoteEtag(copy.etag)),
    ...checksumElements(copy.checksum),
  ]
  const sourceVersion = await shownVersionId(state, source.bucket, copy.sourceVersionId)
  const version = await shownVersionId(store, bucket, copy.versionId)
  return xmlAnswer('CopyObjectResult', options.namespace, children, {
    headers: {
      ...versionHeaders(sourceVersion, 'x-amz-copy-source-version-id'),
      ...versionHeaders(version),
      ...expirationHeader(copy),
      ...encryptionAnswer(copy, headers),
      ...receiptHeaders(copy),
    },
  })
}

/** The redirect always comes from the request: it is never copied. */
function copiedMetadata(headers: RequestHeaders): Pick<CopyOptions, 'metadataDirective' | keyof MetadataOptions> {
  const given = metadataOptions(headers)
  if (copyDirective(headers, 'metadata') === 'REPLACE') return { ...given, metadataDirective: 'REPLACE' }
  const { websiteRedirectLocation } = given
  return websiteRedirectLocation === undefined ? {} : { websiteRedirectLocation }
}
