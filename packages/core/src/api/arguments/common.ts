/** What the arguments of many calls have in common. */
import { abortSignal, bytes, text } from '../../schema/scalars.ts'
import { checked, type Schema } from '../../schema/schema.ts'
import { object, optional } from '../../schema/structures.ts'
import type { Cancelable } from '../types/index.ts'

/** The rules for names judge how long a name may be, and have codes of their own; this is a bound against abuse. */
export const name = text({ max: 8 * 1024 * 1024 })

/** @throws StorageError `InvalidArgument` unless it is text. */
export const checkBucket = (bucket: unknown): string => checked('bucket', name, bucket)

/** @throws StorageError `InvalidArgument` unless both are text. */
export function checkPlace(bucket: unknown, key: unknown): void {
  checked('bucket', name, bucket)
  checked('key', name, key)
}

export const signal = { signal: optional(abortSignal) }

/** The schema of options that hold a signal alone. */
export const cancelable = object<Cancelable>(signal)

const none = Object.freeze({})

/** A checked copy of the options of a call; where there are none, nothing. @throws StorageError `InvalidArgument` */
export const optionsOf = <T extends object>(schema: Schema<T>, options: unknown): T =>
  options === undefined ? (none as T) : checked('options', schema, options)

/** A key that a client brings. That it has 32 bytes is judged where it is used. */
export const customerKey = bytes({ max: 1024 })
