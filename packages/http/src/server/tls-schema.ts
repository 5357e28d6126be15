/** Checks the types of keys and certificates. Node checks their contents. */
import { schema } from '@varve/core'
import type { TlsMaterial } from './server-options.ts'

const { literal, Mismatch, object, optional, text } = schema

const isMaterial = (value: unknown): boolean =>
  typeof value === 'string' ||
  ArrayBuffer.isView(value) ||
  (Array.isArray(value) && value.length > 0 && value.every((one) => typeof one === 'object' || typeof one === 'string'))

function material<T>(): schema.Schema<T> {
  return {
    read(value) {
      if (!isMaterial(value)) throw Mismatch.wrongType('a text, bytes or an array of them', value)
      return value as T
    },
    accepts: isMaterial,
  }
}

export const tls: schema.Schema<TlsMaterial> = object<TlsMaterial>({
  key: optional(material()),
  cert: optional(material()),
  ca: optional(material()),
  pfx: optional(material()),
  passphrase: optional(text()),
  minVersion: optional(literal('TLSv1', 'TLSv1.1', 'TLSv1.2', 'TLSv1.3')),
})
