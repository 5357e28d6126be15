/** Checks the arguments of calls that write objects. */
import { checksumAlgorithms } from '../../base/checksums.ts'
import type { WriteConditions } from '../../commands/command.ts'
import { contentHeaderFields } from '../../events/content-header-schemas.ts'
import type { ChecksumAlgorithm, ByteRange } from '../../ports/index.ts'
import { listener } from '../../schema/listener.ts'
import { boolean, callable, date, integer, literal, text } from '../../schema/scalars.ts'
import type { Schema } from '../../schema/schema.ts'
import { array, either, type FieldsOf, object, optional, record, tagged } from '../../schema/structures.ts'
import { acl, annotationValues, retention, tags } from '../../settings/annotation-schemas.ts'
import type { AnnotateOptions } from '../../requests/annotate.ts'
import type {
  ByteChecks,
  ChecksumRequest,
  CopyOptions,
  CopySource,
  CreationOptions,
  DeleteOptions,
  DeleteTarget,
  EncryptionRequest,
  MetadataOptions,
  PutOptions,
  ReadConditions,
  ReceiptOption,
  ReceivingOptions,
} from '../types/index.ts'
import { customerKey, moment, name, signal } from './common.ts'

export const checksumAlgorithm: Schema<ChecksumAlgorithm> = literal(...checksumAlgorithms)

export const metadataFields: FieldsOf<MetadataOptions> = { ...contentHeaderFields, metadata: optional(record(text())) }

type RequestOf<M extends EncryptionRequest['mode']> = Extract<EncryptionRequest, { readonly mode: M }>
type NamedKey = Extract<EncryptionRequest, { readonly keyName?: string }>

const namedKey = object<NamedKey>({
  mode: literal('aws:kms', 'aws:kms:dsse'),
  keyName: optional(text()),
  bucketKey: optional(boolean),
})

const encryption = tagged<EncryptionRequest, 'mode'>('mode', {
  AES256: object<RequestOf<'AES256'>>({ mode: literal('AES256') }),
  'aws:kms': namedKey,
  'aws:kms:dsse': namedKey,
  'SSE-C': object<RequestOf<'SSE-C'>>({ mode: literal('SSE-C'), key: customerKey }),
})

export const creationFields: FieldsOf<CreationOptions> = {
  tags: optional(tags),
  acl: optional(acl),
  retention: optional(retention),
  legalHold: optional(annotationValues.legalHold),
  storageClass: optional(text()),
  encryption: optional(encryption),
}

const checksum = object<ChecksumRequest>({
  algorithm: checksumAlgorithm,
  expected: optional(either<NonNullable<ChecksumRequest['expected']>>('text, or a function', text(), callable())),
})

export const byteCheckFields: FieldsOf<ByteChecks> = {
  size: optional(integer({ min: 0 })),
  checksum: optional(checksum),
  contentMD5: optional(text()),
  sha256: optional(text()),
}

export const receivingFields: FieldsOf<ReceivingOptions> = { onProgress: optional(listener()) }

export const conditionFields: FieldsOf<WriteConditions> = {
  ifMatch: optional(text()),
  ifNoneMatch: optional(literal('*')),
}

export const receiptFields: FieldsOf<ReceiptOption> = { receipt: optional(boolean) }

export const putOptions = object<PutOptions>({
  ...metadataFields,
  ...creationFields,
  ...byteCheckFields,
  ...conditionFields,
  ...receivingFields,
  ...receiptFields,
  ...signal,
})

export const readConditionFields: FieldsOf<ReadConditions> = {
  ifMatch: optional(array(text())),
  ifNoneMatch: optional(array(text())),
  ifModifiedSince: optional(date),
  ifUnmodifiedSince: optional(date),
}

export const sourceFields: FieldsOf<CopySource> = {
  bucket: name,
  key: name,
  versionId: optional(text()),
  at: optional(moment),
  conditions: optional(object<ReadConditions>(readConditionFields)),
  customerKey: optional(customerKey),
}

export const copySource = object<CopySource>(sourceFields)

export const byteRange = object<ByteRange>({ start: integer({ min: 0 }), end: integer({ min: 0 }) })

const directive = literal('COPY', 'REPLACE')

export const copyOptions = object<CopyOptions>({
  ...metadataFields,
  ...creationFields,
  ...conditionFields,
  ...receiptFields,
  ...signal,
  metadataDirective: optional(directive),
  taggingDirective: optional(directive),
  checksumAlgorithm: optional(checksumAlgorithm),
})

const removal = { ifMatch: optional(text()), bypassGovernance: optional(boolean) }
const deletion = { ...removal, versionId: optional(text()) }

export const deleteOptions = object<DeleteOptions>({ ...deletion, ...receiptFields, ...signal })
export const versionDeleteOptions = object<Omit<DeleteOptions, 'versionId'>>({
  ...removal,
  ...receiptFields,
  ...signal,
})
export const deleteTargets = array(object<DeleteTarget>({ ...deletion, key: name }))

export const annotateOptions = object<AnnotateOptions>({
  versionId: optional(text()),
  bypassGovernance: optional(boolean),
  ...signal,
})
