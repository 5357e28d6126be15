/** The commands of a batch, as JSON. */
import {
  type Annotation,
  type AnnotateOptions,
  callArguments,
  type Cancelable,
  type CreationOptions,
  type DeleteOptions,
  type MetadataOptions,
  type ReceiptOption,
  schema,
  type SettingKind,
  settingKinds,
  type WriteConditions,
} from '@varve/core'
import { bytesText, creationFields } from './call-values.ts'
import { name, type Place, place } from './common-fields.ts'
import { type Copy, copyFields } from './write-rows.ts'

const { boolean, json, literal, object, optional, tagged, text } = schema

/** The version that a key must have before its command. `null`: none, or a delete marker. */
interface Expecting {
  readonly expected?: string | null
}

const versionOrNull: schema.Schema<string | null> = {
  read: (value) => (value === null ? null : text().read(value)),
  accepts: (value) => value === null || typeof value === 'string',
  json: { anyOf: [{ type: 'string' }, { enum: [null] }] },
}

const expecting: schema.FieldsOf<Expecting> = { expected: optional(versionOrNull) }

/** A small object. Its bytes are in `text` or in `base64`; none of both: no bytes. */
export interface PutCommand extends Place, Expecting, MetadataOptions, CreationOptions, WriteConditions {
  readonly type: 'put'
  readonly text?: string
  readonly base64?: Uint8Array
}

export interface CopyCommand extends Omit<Copy, keyof ReceiptOption>, Expecting {
  readonly type: 'copy'
}

export interface DeleteCommand extends Place, Expecting, Omit<DeleteOptions, keyof Cancelable | keyof ReceiptOption> {
  readonly type: 'delete'
}

export interface AnnotateCommand extends Place, Expecting, Omit<AnnotateOptions, keyof Cancelable> {
  readonly type: 'annotate'
  readonly annotation: Annotation
}

/** Changes nothing: only the version must be the expected one. */
export interface CheckCommand extends Place, Required<Expecting> {
  readonly type: 'check'
}

/** A setting of a bucket; without a value, it is removed. */
export interface SettingCommand {
  readonly type: 'setting'
  readonly bucket: string
  readonly kind: SettingKind
  readonly value?: schema.Json
}

export type BatchCommand = PutCommand | CopyCommand | DeleteCommand | AnnotateCommand | CheckCommand | SettingCommand

const { receipt: _receipt, ...copyWithoutReceipt } = copyFields

/** The most characters of the bytes of one object. */
const bodyMax = 1024 * 1024

export const batchCommand = tagged<BatchCommand, 'type'>('type', {
  put: object<PutCommand>({
    type: literal('put'),
    ...place,
    ...expecting,
    text: optional(text({ max: bodyMax })),
    base64: optional(bytesText),
    ...callArguments.metadataFields,
    ...creationFields,
    ...callArguments.conditionFields,
  }),
  copy: object<CopyCommand>({ type: literal('copy'), ...copyWithoutReceipt, ...expecting }),
  delete: object<DeleteCommand>({
    type: literal('delete'),
    ...place,
    ...expecting,
    versionId: optional(text()),
    ifMatch: optional(text()),
    bypassGovernance: optional(boolean),
  }),
  annotate: object<AnnotateCommand>({
    type: literal('annotate'),
    ...place,
    ...expecting,
    annotation: callArguments.annotation,
    versionId: optional(text()),
    bypassGovernance: optional(boolean),
  }),
  check: object<CheckCommand>({ type: literal('check'), ...place, expected: versionOrNull }),
  setting: object<SettingCommand>({
    type: literal('setting'),
    bucket: name,
    kind: literal(...settingKinds),
    value: optional(json),
  }),
})
