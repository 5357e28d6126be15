/** Values in arguments that JSON has as text. */
import {
  callArguments,
  type CreationOptions,
  type EncryptionRequest,
  type ReadConditions,
  type ReadsFacts,
  schema,
} from '@varve/core'
import { isoDate } from './common-fields.ts'

const { array, boolean, literal, Mismatch, object, optional, text } = schema

const base64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/

/** Bytes, which JSON has in base64. The store checks how many there must be. */
export const bytesText: schema.Schema<Uint8Array> = {
  read(value) {
    if (typeof value !== 'string' || !base64.test(value)) throw Mismatch.wrongType('bytes in base64', value)
    return new Uint8Array(Buffer.from(value, 'base64'))
  },
  accepts: (value) => typeof value === 'string',
  json: { type: 'string', contentEncoding: 'base64' },
}

const notInJson: ReadonlyMap<unknown, number> = new Map(
  [Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY].map((value) => [String(value), value]),
)

/** Any number, for the store to check with its own error code. */
export const anyNumber: schema.Schema<number> = {
  ...schema.number,
  read: (value) => notInJson.get(value) ?? schema.number.read(value),
}

type NamedKey = Extract<EncryptionRequest, { readonly keyName?: string }>
type CustomerKey = Extract<EncryptionRequest, { readonly mode: 'SSE-C' }>
type OwnKey = Extract<EncryptionRequest, { readonly mode: 'AES256' }>

/** The encryption of a write. */
const encryptionRequest = schema.either<EncryptionRequest>(
  'an encryption',
  object<OwnKey>({ mode: literal('AES256') }),
  object<NamedKey>({
    mode: literal('aws:kms', 'aws:kms:dsse'),
    keyName: optional(text()),
    bucketKey: optional(boolean),
  }),
  object<CustomerKey>({ mode: literal('SSE-C'), key: bytesText }),
)

export const conditionFields: schema.FieldsOf<ReadConditions> = {
  ifMatch: optional(array(text())),
  ifNoneMatch: optional(array(text())),
  ifModifiedSince: optional(isoDate),
  ifUnmodifiedSince: optional(isoDate),
}

export const factFields: schema.FieldsOf<ReadsFacts> = {
  customerKey: optional(bytesText),
  needsKey: optional(boolean),
}

/** How a write creates an object. */
export const creationFields: schema.FieldsOf<CreationOptions> = {
  ...callArguments.creationFields,
  encryption: optional(encryptionRequest),
}
