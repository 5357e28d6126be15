import { checkCopySize } from '@varve/core'
import { runBytes } from '../budgets/request-budget.ts'
import { copiedSource, copySourceRange, sourceState, type SourceState } from '../object-operations/copied-source.ts'
import { partChecksumElements } from '../objects/checksums.ts'
import { asCustomerKey, sourceKey, writtenKey } from '../encryption/customer-key.ts'
import { encryptionAnswer, uploadEncryption } from '../encryption/encryption-headers.ts'
import { quoteEtag } from '../headers/etags.ts'
import { copySourceConditions } from '../objects/read-conditions.ts'
import { shownVersionId, versionHeaders } from '../objects/shown-version.ts'
import { partOf } from './upload-params.ts'
import { element } from '../xml/write.ts'
import { xmlAnswer } from '../contract/answer.ts'
import type { Answer } from '../contract/answer.ts'
import { timeElement } from '../listings/listing-elements.ts'
import type { CopyContext, CopyOperation } from '../contract/operation.ts'

/** Reads and writes every byte of the part, so this is the only copy that may take long. */
export const uploadPartCopy: CopyOperation = async (context) => {
  const { upload } = partOf(context)
  // These checks must come before the answer may begin early.
  writtenKey(context.headers)
  sourceKey(context.headers)
  const state = await sourceState(context)
  const source = await copiedSource(context, state)
  const header = context.headers.single('x-amz-copy-source-range')
  const range = header === undefined ? undefined : copySourceRange(header, source.size)
  checkCopySize(range === undefined ? source.size : range.end - range.start)
  context.budget.holdBody(runBytes)
  return { slow: copyPart(context, state, range), early: () => uploadEncryption(context, upload) }
}

async function copyPart(
  context: CopyContext,
  state: SourceState,
  range: ReturnType<typeof copySourceRange> | undefined,
): Promise<Answer> {
  const {
    store,
    source,
    headers,
    options,
    client: { signal },
  } = context
  const { upload, partNumber } = partOf(context)
  const from = {
    ...source,
    ...asCustomerKey(sourceKey(headers)),
    conditions: copySourceConditions(headers),
    ...(range !== undefined && { range }),
  }

  const own = asCustomerKey(writtenKey(headers))
  const part = await store.uploads.copyPart(upload, partNumber, from, { ...own, signal })

  const children = [
    timeElement('LastModified', part.lastModified),
    element('ETag', quoteEtag(part.etag)),
    ...partChecksumElements(part.checksum),
  ]
  const sourceVersion = await shownVersionId(state, source.bucket, part.sourceVersionId)
  return xmlAnswer('CopyPartResult', options.namespace, children, {
    headers: {
      ...versionHeaders(sourceVersion, 'x-amz-copy-source-version-id'),
      ...encryptionAnswer(part, headers),
    },
  })
}
