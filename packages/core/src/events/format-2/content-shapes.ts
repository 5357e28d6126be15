/** The shapes of content in events: see `event-shapes.ts`. */
import type { ChecksumAlgorithm } from '../../ports/index.ts'
import { boolean, literal, number, text, word } from '../../schema/scalars.ts'
import type { Schema } from '../../schema/schema.ts'
import { array, object, optional, pair, tagged } from '../../schema/structures.ts'
import { acl, retention, tags } from '../../settings/annotation-schemas.ts'
import type { EncryptionMode, ObjectEncryption } from '../../settings/encryption.ts'
import { contentHeaderFields } from '../content-header-schemas.ts'
import type { BlobContent, BlobRef, Checksum, ChecksumType, Content, ObjectMetadata, Seal } from '../content.ts'

const blob = object<BlobRef>({ id: text(), size: number, inline: boolean, crcs: text() })

/** A seal of that time, with the data key in the event. */
interface OldSeal extends Omit<Seal, 'keyCrc'> {
  readonly wrapped: string
}

const seal = object<OldSeal>({
  v: number as Schema<number> as never,
  mode: word<EncryptionMode>(),
  key: optional(text()),
  generation: optional(number),
  wrapped: text(),
})

type ContentOf<K extends Content['kind']> = Extract<Content, { readonly kind: K }>

export const content = tagged<Content, 'kind'>('kind', {
  empty: object<ContentOf<'empty'>>({ kind: literal('empty') }),
  blob: object<BlobContent>({ kind: literal('blob'), blob, sealed: optional(seal as Schema<unknown> as Schema<Seal>) }),
  parts: object<ContentOf<'parts'>>({ kind: literal('parts'), upload: number }),
})

export const checksumAlgorithm = word<ChecksumAlgorithm>()
export const checksumType = word<ChecksumType>()
export const checksum = object<Checksum>({ algorithm: checksumAlgorithm, type: checksumType, value: text() })

export const metadata = object<ObjectMetadata>({ user: array(pair(text())), ...contentHeaderFields })

/** Never contains a key: a field of that name is ignored. */
const encryption = object<Omit<ObjectEncryption, 'key'>>({
  mode: word<EncryptionMode>(),
  keyName: optional(text()),
  proof: optional(text()),
  bucketKey: optional(boolean),
})

/** The fields that every creation of an object may have. */
export const creationFields = {
  tags: optional(tags),
  acl: optional(acl),
  retention: optional(retention),
  legalHold: optional(word<'ON' | 'OFF'>()),
  storageClass: optional(text()),
  encryption: optional(encryption as Schema<unknown> as Schema<ObjectEncryption>),
}

export const objectFields = {
  ...creationFields,
  size: number,
  etag: text(),
  content,
  metadata,
  checksum: optional(checksum),
  partsCount: optional(number),
}
