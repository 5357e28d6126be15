/**
 * The binary forms of content and of the facts of an object, which events and rows share: see docs/format.md. The order
 * of words is part of them.
 */
import type { ChecksumAlgorithm, ChecksumType, DefaultChecksumAlgorithm } from '../base/checksums.ts'
import type { Codec } from '../codec/codec.ts'
import type { RecordReader } from '../codec/record-reader.ts'
import { base64, boolean, count, hex, text, word } from '../codec/scalars.ts'
import { list, optional, pair, struct, tagged } from '../codec/structures.ts'
import type { EncryptionMode, ObjectEncryption } from '../settings/encryption.ts'
import { annotationForms } from './annotation-forms.ts'
import type {
  BlobContent,
  BlobRef,
  Checksum,
  Content,
  CreationFacts,
  ObjectFacts,
  ObjectMetadata,
  Seal,
} from './content.ts'

const mode = word<EncryptionMode>('AES256', 'aws:kms', 'aws:kms:dsse', 'SSE-C')

const seal = struct<Seal>({
  v: count as Codec<number> as Codec<Seal['v']>,
  mode,
  key: optional(text),
  generation: optional(count),
  keyCrc: optional(count),
})

const blob = struct<BlobRef>({ id: hex, size: count, inline: boolean, crcs: base64 })

export const content: Codec<Content> = tagged<Content, 'kind'>('kind', {
  empty: struct<{}>({}),
  blob: struct<Omit<BlobContent, 'kind'>>({ blob, sealed: optional(seal) }),
  parts: struct<{ readonly upload: number }>({ upload: count }),
})

export const checksumAlgorithm = word<ChecksumAlgorithm>(
  'CRC32',
  'CRC32C',
  'CRC64NVME',
  'SHA1',
  'SHA256',
  'SHA512',
  'MD5',
  'XXHASH64',
  'XXHASH3',
  'XXHASH128',
)
export const defaultChecksumAlgorithm = word<DefaultChecksumAlgorithm>('CRC64NVME')
export const checksumType = word<ChecksumType>('FULL_OBJECT', 'COMPOSITE')
export const checksum = struct<Checksum>({ algorithm: checksumAlgorithm, type: checksumType, value: base64 })

export const metadata = struct<ObjectMetadata>({
  contentType: optional(text),
  contentEncoding: optional(text),
  contentLanguage: optional(text),
  contentDisposition: optional(text),
  cacheControl: optional(text),
  expires: optional(text),
  websiteRedirectLocation: optional(text),
  user: list(pair(text)),
})

/** A key is never stored: a field of that name is ignored. */
const encryption = struct<Omit<ObjectEncryption, 'key'>>({
  mode,
  keyName: optional(text),
  proof: optional(base64),
  bucketKey: optional(boolean),
}) as Codec<object> as Codec<ObjectEncryption>

const annotations = {
  tags: optional(annotationForms.tags),
  acl: optional(annotationForms.acl),
  retention: optional(annotationForms.retention),
  legalHold: optional(annotationForms.legalHold),
}

export const creation = struct<CreationFacts>({
  storageClass: optional(text),
  encryption: optional(encryption),
  ...annotations,
})

/** The facts of an object. `shownFacts` and `contentOfFacts` read the first fields by themselves. */
export const facts = struct<ObjectFacts>({
  size: count,
  etag: hex,
  storageClass: optional(text),
  checksum: optional(checksum),
  partsCount: optional(count),
  content,
  metadata,
  encryption: optional(encryption),
  ...annotations,
})

/** The facts of an object that listings show. */
export interface ShownFacts {
  readonly size: number
  readonly etag: string
  readonly storageClass?: string
  readonly checksum?: Omit<Checksum, 'value'>
}

let lastKind: Readonly<Omit<Checksum, 'value'>> | undefined

/** Neighbours usually have the same kind of checksum, so the last one is kept. It is shared and frozen. */
function checksumKind(from: RecordReader): Omit<Checksum, 'value'> {
  const [algorithm, type] = [checksumAlgorithm.read(from), checksumType.read(from)]
  if (lastKind?.algorithm !== algorithm || lastKind.type !== type) lastKind = Object.freeze({ algorithm, type })
  return lastKind
}

/** Reads the first fields of `facts` and leaves the reader behind them. */
export function shownFacts(from: RecordReader): ShownFacts {
  const present = from.byte()
  const [size, etag] = [from.count(), from.hexText()]
  if ((present & 0b11) === 0) return { size, etag }
  if ((present & 0b10) === 0) return { size, etag, storageClass: from.text() }
  // Written without spreads, because a listing reads thousands.
  const storageClass = (present & 0b01) === 0 ? undefined : from.text()
  const checksum = checksumKind(from)
  return storageClass === undefined ? { size, etag, checksum } : { size, etag, storageClass, checksum }
}

/** Reads no more of `facts` than the content. */
export function contentOfFacts(from: RecordReader): Content {
  const present = from.byte()
  from.count()
  from.skipHexText()
  if ((present & 0b001) !== 0) from.skipText()
  if ((present & 0b010) !== 0) checksum.read(from)
  if ((present & 0b100) !== 0) from.count()
  return content.read(from)
}
