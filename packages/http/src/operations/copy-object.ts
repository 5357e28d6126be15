import { checkCopySize } from '@varve/core'
import { S3Error } from '../errors.ts'
import { checksumAlgorithm, checksumElements } from '../objects/checksums.ts'
import { copiedSource } from '../objects/copied-source.ts'
import { expirationHeader } from '../objects/expiration-header.ts'
import { quoteEtag } from '../objects/etags.ts'
import { metadataOptions } from '../objects/metadata-in.ts'
import { copySourceConditions } from '../objects/read-conditions.ts'
import { shownVersionId, versionHeaders } from '../objects/shown-version.ts'
import { writeConditions } from '../objects/write-conditions.ts'
import type { RequestHeaders } from '../target/request-headers.ts'
import { element } from '../xml/write.ts'
import { xmlAnswer } from './answer.ts'
import { timeElement } from './listing-elements.ts'
import type { CopyOperation } from './operation.ts'

/** The copy shares the bytes of its source: only a checksum the source does not have makes anyone read them. */
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
  const copyOptions = {
    ...(metadataDirective(headers) === 'REPLACE' && {
      ...metadataOptions(headers),
      metadataDirective: 'REPLACE' as const,
    }),
    ...(algorithm !== undefined && { checksumAlgorithm: algorithm }),
    ...writeConditions(headers),
    signal,
  }
  checkCopySize((await copiedSource(context)).size)

  const conditions = copySourceConditions(headers)
  const copy = await store.objects.copy({ ...source, conditions }, bucket, key, copyOptions)

  const children = [
    timeElement('LastModified', copy.lastModified),
    element('ETag', quoteEtag(copy.etag)),
    ...checksumElements(copy.checksum),
  ]
  const sourceVersion = await shownVersionId(store, source.bucket, copy.sourceVersionId)
  const version = await shownVersionId(store, bucket, copy.versionId)
  return xmlAnswer('CopyObjectResult', options.namespace, children, {
    headers: {
      ...versionHeaders(sourceVersion, 'x-amz-copy-source-version-id'),
      ...versionHeaders(version),
      ...expirationHeader(copy),
    },
  })
}

function metadataDirective(headers: RequestHeaders): 'COPY' | 'REPLACE' {
  const name = 'x-amz-metadata-directive'
  const word = headers.single(name) ?? 'COPY'
  if (word === 'COPY' || word === 'REPLACE') return word
  throw new S3Error('InvalidArgument', 'Unknown metadata directive.', {
    details: { ArgumentName: name, ArgumentValue: word },
  })
}
