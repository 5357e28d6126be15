/** Schemas that several operations of the control API share. */
import {
  type Actor,
  callArguments,
  type Checksum,
  checksumAlgorithms,
  type Expiration,
  type Moment,
  type Parted,
  schema,
} from '@varve/core'
import type { AsOf } from './control-row.ts'

const { boolean, either, integer, literal, Mismatch, objectWith, optional, text } = schema

/** Names and keys are checked by the store, which has its own codes for them. */
export const { name } = callArguments

/** How work that a client requests depends on its connection. */
export interface Detachable {
  /** The work goes on when the connection of the client ends. Otherwise it stops then. @default false */
  readonly detached?: boolean
}

/** How a restore, an undo or a merge may be divided, and whether it needs its client. */
export const parted: schema.FieldsOf<Pick<Parted, 'inParts' | 'partSize'> & Detachable> = {
  inParts: optional(boolean),
  partSize: optional(callArguments.partSize),
  detached: optional(boolean),
}

/** The answer of an operation that returns nothing. */
export const done = objectWith<object>({})

/** The most bytes of a request with settings of a bucket. */
export const settingsBytesMax = 4 * 1024 * 1024

/** An object by its bucket and key. */
export interface Place {
  readonly bucket: string
  readonly key: string
}

export const place: schema.FieldsOf<Place> = { bucket: name, key: name }

export const position = integer({ min: 0 })

/** A time of a program that is outside the years of RFC 3339. */
const farTime: schema.Schema<Date> = {
  read(value) {
    if (typeof value !== 'string' || !/^[+-]\d{6}-/.test(value)) throw Mismatch.wrongType('a time', value)
    return isoDate.read(value)
  },
  accepts: () => false,
}

/** The store reads the text. */
export const moment = either<Moment>(
  'a moment: a position, a time, or the name of a snapshot',
  position,
  farTime,
  text(),
)

export const asOf: schema.FieldsOf<AsOf> = { at: optional(moment) }

/** A date in an answer, where JSON has it as text. */
export const isoDate: schema.Schema<Date> = {
  read(value) {
    const found = new Date(typeof value === 'string' ? value : Number.NaN)
    if (Number.isNaN(found.getTime())) throw Mismatch.wrongType('a time as RFC 3339', value)
    return found
  },
  accepts: (value) => typeof value === 'string',
  json: { type: 'string', format: 'date-time' },
}

export const actor = objectWith<Actor>({ id: text(), name: text() })

export const checksum = objectWith<Checksum>({
  algorithm: literal(...checksumAlgorithms),
  type: literal('COMPOSITE', 'FULL_OBJECT'),
  value: text(),
})

export const expiration = objectWith<Expiration>({ date: isoDate, ruleId: text() })
