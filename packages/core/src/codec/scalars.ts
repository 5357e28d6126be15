/** Binary forms of single values. */
import { sameRange } from '../bytes/bytes.ts'
import { type Base64Form, standardBase64, urlBase64 } from '../bytes/base64.ts'
import { isSameJson } from '../schema/same-json.ts'
import { Mismatch } from '../schema/schema.ts'
import type { Codec } from './codec.ts'
import { Malformed } from './record-reader.ts'

function asText(value: unknown): string {
  if (typeof value !== 'string') throw Mismatch.wrongType('a string', value)
  return value
}

export const text: Codec<string> = {
  write: (to, value) => to.text(asText(value)),
  read: (from) => from.text(),
}

/** A text that neighbours usually share, such as the name of their bucket: the last one read is kept. */
export function neighbouringText(): Codec<string> {
  let lastBytes = new Uint8Array(0)
  let lastText = ''
  return {
    write: text.write,
    read(from) {
      const start = from.at
      from.skipText()
      if (sameRange(from.bytes, start, from.at, lastBytes)) return lastText
      const end = from.at
      from.at = start
      lastText = from.text()
      lastBytes = new Uint8Array(from.bytes.subarray(start, end))
      return lastText
    },
  }
}

/** Any text; short if it is lower-case hexadecimal. */
export const hex: Codec<string> = {
  write: (to, value) => to.hexText(asText(value)),
  read: (from) => from.hexText(),
}

const ofBase64 = (form: Base64Form): Codec<string> => ({
  write: (to, value) => to.base64Text(form, asText(value)),
  read: (from) => from.base64Text(form),
})

/** Any text; short if it is base64 with padding. */
export const base64: Codec<string> = ofBase64(standardBase64)

/** Any text; short if it is base64 for URLs without padding. */
export const base64url: Codec<string> = ofBase64(urlBase64)

/** A whole number from 0 to 2^53 - 1: a position, a time, a size, a number of things. */
export const count: Codec<number> = {
  write(to, value) {
    if (!Number.isSafeInteger(value) || value < 0 || Object.is(value, -0)) {
      throw Mismatch.wrongType('a whole number from 0 on', value)
    }
    to.count(value)
  },
  read: (from) => from.count(),
}

export const boolean: Codec<boolean> = {
  write(to, value) {
    if (typeof value !== 'boolean') throw Mismatch.wrongType('true or false', value)
    to.byte(value ? 1 : 0)
  },
  read(from) {
    const byte = from.byte()
    if (byte > 1) throw new Malformed('a boolean that is neither')
    return byte === 1
  },
}

/** One of some words, as its place among them from 1, or 0 and any other text. The order is part of the format. */
export function word<T extends string>(...words: readonly T[]): Codec<T> {
  const places: ReadonlyMap<unknown, number> = new Map(words.map((one, i) => [one, i + 1]))
  return {
    write(to, value) {
      const place = places.get(value)
      to.byte(place ?? 0)
      if (place === undefined) text.write(to, value)
    },
    read(from) {
      const place = from.byte()
      if (place === 0) return from.text() as T
      const found = words[place - 1]
      if (found === undefined) throw new Malformed('an unknown word')
      return found
    },
  }
}

/** One of these words and no other, as its place among them from 1. The order is part of the format. */
export function literal<T extends string>(...words: readonly T[]): Codec<T> {
  return {
    write(to, value) {
      const place = words.indexOf(value)
      if (place < 0) throw Mismatch.wrongType(`one of ${words.join(', ')}`, value)
      to.byte(place + 1)
    },
    read(from) {
      const found = words[from.byte() - 1]
      if (found === undefined) throw new Malformed('an unknown word')
      return found
    },
  }
}

/** A document of a client as JSON text. It is not `null`. */
export const document: Codec<unknown> = {
  write(to, value) {
    const written: unknown = JSON.stringify(value)
    if (typeof written !== 'string' || !isSameJson(value, JSON.parse(written)) || value === null) {
      throw new Mismatch('must be a value of JSON')
    }
    to.text(written)
  },
  read(from) {
    const value: unknown = JSON.parse(from.text())
    if (value === null) throw new Malformed('a document without a value')
    return value
  },
}
