/** Writes and deletions of objects. */
import {
  type ByteChecks,
  callArguments,
  type Cancelable,
  type ChecksumAlgorithm,
  type ChecksumRequest,
  type CopyOptions,
  type CopyResult,
  type CopySource,
  type DeleteOptions,
  type DeleteOutcome,
  type DeleteResult,
  type DeleteTarget,
  type PutOptions,
  type PutResult,
  type ReadConditions,
  type ReceivingOptions,
  schema,
} from '@varve/core'
import { checksumTrailer } from './call-form.ts'
import { bytesText, conditionFields, creationFields } from './call-values.ts'
import { asOf, name, type Place, place } from './common-fields.ts'
import { linesRow, valueRow } from './control-row.ts'
import { quoted } from '../errors/quote.ts'
import { type ControlError, controlErrorOf, controlErrorShape } from './control-error.ts'
import { flagForm, jsonBody, jsonForm, numberForm, query } from './input.ts'
import { copyResult, deleteResult, putResult } from './object-shapes.ts'

const { array, boolean, integer, literal, object, objectWith, optional, text } = schema
const { metadataFields } = callArguments

/** The checksum to compute, and the value that the bytes must have. */
export interface ChecksumInput {
  readonly algorithm: ChecksumAlgorithm
  readonly expected?: string
  /** The value is in the trailer `x-varve-checksum`, or nowhere. @default false */
  readonly inTrailer?: boolean
}

/** As `ByteChecks`, for JSON. */
export interface ChecksInput extends Omit<ByteChecks, 'checksum'> {
  readonly checksum?: ChecksumInput
}

export const checkFields: schema.FieldsOf<ChecksInput> = {
  checksum: optional(
    object<ChecksumInput>({
      algorithm: callArguments.checksumAlgorithm,
      expected: optional(text()),
      inTrailer: optional(boolean),
    }),
  ),
  size: optional(integer({ min: 0 })),
  contentMD5: optional(text()),
  sha256: optional(text()),
}

/** How the bytes are checked, with a checksum that may follow them. */
export function checksOf(
  { checksum, ...others }: ChecksInput,
  trailer: (name: string) => string | undefined,
): ByteChecks {
  if (checksum === undefined) return others
  const { algorithm, expected, inTrailer = false } = checksum
  const value: ChecksumRequest['expected'] = inTrailer ? () => trailer(checksumTrailer) : expected
  return { ...others, checksum: { algorithm, ...(value !== undefined && { expected: value }) } }
}

type Written = Omit<PutOptions, keyof ByteChecks | keyof ReceivingOptions | keyof Cancelable> & ChecksInput

const written: schema.FieldsOf<Written> = {
  ...metadataFields,
  ...creationFields,
  ...checkFields,
  ...callArguments.conditionFields,
  ...callArguments.receiptFields,
}

/** What is structured, in a query. */
const forms = {
  metadata: jsonForm,
  tags: jsonForm,
  acl: jsonForm,
  retention: jsonForm,
  encryption: jsonForm,
  checksum: jsonForm,
  size: numberForm,
  receipt: flagForm,
}

/** A new object, whose bytes are the body of the request. */
export type NewContent = Place & Written

export const putContent = valueRow<NewContent, PutResult>({
  name: 'PutContent',
  summary: 'Stores the bytes of the body as an object',
  method: 'PUT',
  path: '/-/v1/content',
  isTransactional: true,
  input: query(object<NewContent>({ ...place, ...written }), forms),
  output: putResult,
  run({ acting, input, body, trailer, signal }) {
    const { bucket, key, checksum, contentMD5, sha256, ...options } = input
    const checks = checksOf({ checksum, contentMD5, sha256 } as ChecksInput, trailer)
    return acting.objects.put(bucket, key, body, { ...options, ...checks, signal })
  },
})

/** A copy of an object. */
export interface Copy extends Place, Omit<CopyOptions, keyof Cancelable> {
  readonly source: CopySource
}

export const sourceFields: schema.FieldsOf<CopySource> = {
  ...place,
  ...asOf,
  versionId: optional(text()),
  conditions: optional(object<ReadConditions>(conditionFields)),
  customerKey: optional(bytesText),
}

const directive = literal('COPY', 'REPLACE')

export const copyFields: schema.FieldsOf<Copy> = {
  ...place,
  ...metadataFields,
  ...creationFields,
  ...callArguments.conditionFields,
  ...callArguments.receiptFields,
  source: object<CopySource>(sourceFields),
  metadataDirective: optional(directive),
  taggingDirective: optional(directive),
  checksumAlgorithm: optional(callArguments.checksumAlgorithm),
}

export const copyObject = valueRow<Copy, CopyResult>({
  name: 'CopyObject',
  summary: 'Copies an object, without moving its bytes',
  method: 'POST',
  path: '/-/v1/copy',
  isTransactional: true,
  input: jsonBody(object<Copy>(copyFields)),
  output: copyResult,
  run: ({ acting, input: { source, bucket, key, ...options }, signal }) =>
    acting.objects.copy(source, bucket, key, { ...options, signal }),
})

const removal = { versionId: optional(text()), ifMatch: optional(text()), bypassGovernance: optional(boolean) }

/** What is deleted: an object, or one version of it. */
export type Deleted = Place & Omit<DeleteOptions, keyof Cancelable>

export const deleteObject = valueRow<Deleted, DeleteResult>({
  name: 'DeleteObject',
  summary: 'Deletes an object, or removes a version',
  method: 'DELETE',
  path: '/-/v1/object',
  isTransactional: true,
  input: query(object<Deleted>({ ...place, ...removal, ...callArguments.receiptFields }), {
    bypassGovernance: flagForm,
    receipt: flagForm,
  }),
  output: deleteResult,
  run: ({ acting, input: { bucket, key, ...options }, signal }) =>
    acting.objects.delete(bucket, key, { ...options, signal }),
})

/** What is deleted of a bucket. */
export interface ManyDeleted {
  readonly bucket: string
  readonly targets: readonly DeleteTarget[]
}

/** The result of one target, or its error. */
export interface DeletedLine extends DeleteTarget {
  readonly result?: DeleteResult
  readonly refused?: ControlError
}

const targetsBytesMax = 4 * 1024 * 1024

export const deleteObjects = linesRow<ManyDeleted, DeletedLine>({
  name: 'DeleteObjects',
  summary: 'Deletes objects or versions one by one; an error of one does not stop the others',
  method: 'POST',
  path: '/-/v1/delete',
  isTransactional: true,
  input: jsonBody(
    object<ManyDeleted>({ bucket: name, targets: array(object<DeleteTarget>({ key: name, ...removal })) }),
    targetsBytesMax,
  ),
  output: objectWith<DeletedLine>({
    key: text(),
    ...removal,
    result: optional(deleteResult),
    refused: optional(controlErrorShape),
  }),
  async *run({ acting, input: { bucket, targets } }) {
    for (const outcome of await acting.objects.deleteMany(bucket, targets)) yield lineOf(outcome)
  },
})

function lineOf(outcome: DeleteOutcome): DeletedLine {
  if ('result' in outcome) return outcome
  const { error, key, versionId, ifMatch, ...target } = outcome
  return {
    ...target,
    key: quoted(key),
    ...(versionId !== undefined && { versionId: quoted(versionId) }),
    ...(ifMatch !== undefined && { ifMatch: quoted(ifMatch) }),
    refused: controlErrorOf(error),
  }
}
