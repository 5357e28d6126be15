/** Checks that the arguments of many calls share. */
import { type Epoch, epochForm } from '../../base/epoch.ts'
import type { Moment } from '../../moments/moment.ts'
import { abortSignal, bytes, date, integer, text } from '../../schema/scalars.ts'
import { checked, Mismatch, type Schema } from '../../schema/schema.ts'
import { either, object, optional } from '../../schema/structures.ts'
import type { Cancelable } from '../types/index.ts'

/** Only a bound against abuse: the naming rules check the real maximum lengths, with their own error codes. */
export const name = text({ max: 8 * 1024 * 1024 })

/** @throws StorageError `InvalidArgument` unless it is a string. */
export const checkBucket = (bucket: unknown): string => checked('bucket', name, bucket)

/** @throws StorageError `InvalidArgument` unless both are strings. */
export function checkPlace(bucket: unknown, key: unknown): void {
  checked('bucket', name, bucket)
  checked('key', name, key)
}

export const signal = { signal: optional(abortSignal) }

/** The schema of options that have only a signal. */
export const cancelable = object<Cancelable>(signal)

const none = Object.freeze({})

/** A checked copy of a call's options; empty if they are absent. @throws StorageError `InvalidArgument` */
export const optionsOf = <T extends object>(schema: Schema<T>, options: unknown): T =>
  options === undefined ? (none as T) : checked('options', schema, options)

export const moment = either<Moment>('a position in the log, a Date, or a text', integer({ min: 0 }), date, text())

export const epoch: Schema<Epoch> = {
  read(value) {
    if (typeof value === 'string' && epochForm.test(value)) return value
    throw Mismatch.wrongType('an epoch', value)
  },
  accepts: (value) => typeof value === 'string',
  json: { type: 'string', pattern: epochForm.source },
}

/** A key that a client sends. The code that uses it checks that it has 32 bytes. */
export const customerKey = bytes({ max: 1024 })
