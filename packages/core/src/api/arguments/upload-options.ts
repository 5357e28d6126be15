/** Checks the arguments of calls about multipart uploads. */
import type { CompletedPart } from '../../commands/command.ts'
import { boolean, integer, literal, number, text } from '../../schema/scalars.ts'
import { array, type FieldsOf, object, objectWith, optional } from '../../schema/structures.ts'
import type {
  Cancelable,
  CompleteOptions,
  CreateUploadOptions,
  PartCopySource,
  ReadsEncrypted,
  UploadPartOptions,
  UploadRef,
} from '../types/index.ts'
import type { UploadPlace } from '../../requests/upload-ids.ts'
import { customerKey, epoch, name, signal } from './common.ts'
import {
  byteCheckFields,
  byteRange,
  checksumAlgorithm,
  conditionFields,
  creationFields,
  metadataFields,
  receiptFields,
  receivingFields,
  sourceFields,
} from './write-options.ts'

/** An upload as `create` and listings return it is valid here. */
export const uploadRef = objectWith<UploadRef>({ bucket: name, key: name, uploadId: text() })

/** An upload by the event that started it. */
export const uploadPlace = objectWith<UploadPlace>({
  bucket: name,
  key: name,
  upload: integer({ min: 0 }),
  epoch: optional(epoch),
})

const checksumType = literal('FULL_OBJECT', 'COMPOSITE')
const checksum = objectWith<NonNullable<CompletedPart['checksum']>>({ algorithm: checksumAlgorithm, value: text() })

export const createUploadOptions = object<CreateUploadOptions>({
  ...metadataFields,
  ...creationFields,
  ...signal,
  checksumAlgorithm: optional(checksumAlgorithm),
  defaultChecksumAlgorithm: optional(literal('CRC64NVME')),
  checksumType: optional(checksumType),
})

export const uploadPartOptions = object<UploadPartOptions>({
  ...byteCheckFields,
  ...receivingFields,
  ...signal,
  customerKey: optional(customerKey),
  everyPartChecksum: optional(boolean),
})

export const partCopySource = object<PartCopySource>({ ...sourceFields, range: optional(byteRange) })

export const copyPartOptions = object<Cancelable & ReadsEncrypted>({ ...signal, customerKey: optional(customerKey) })

/** Parts as `uploadPart` returns them are valid here. */
export const completedParts = array(
  objectWith<CompletedPart>({ partNumber: number, etag: text(), checksum: optional(checksum) }),
)

export const completionFields: FieldsOf<Omit<CompleteOptions, keyof Cancelable | keyof ReadsEncrypted>> = {
  ...conditionFields,
  ...receiptFields,
  size: optional(number),
  checksum: optional(checksum),
  checksumType: optional(checksumType),
  repeatable: optional(boolean),
  everyPartChecksum: optional(boolean),
  partSizeMin: optional(number),
}

export const completeOptions = object<CompleteOptions>({
  ...completionFields,
  ...signal,
  customerKey: optional(customerKey),
})
