/** Describes row keys for people: the table, and the bucket, key, version, upload, part or keyspace. */
import type { Seq } from '../ports/index.ts'
import { parseVersionId, publicUploadId, versionId } from '../naming/version-id.ts'
import { KeyReader } from '../bytes/key-codec.ts'
import { epochAt, type Epochs } from './epochs.ts'

export interface DescribedKey {
  readonly table: string
  readonly of?: {
    readonly bucket?: string
    readonly key?: string
    readonly versionId?: string
    /** The public part of the id. */
    readonly uploadId?: string
    readonly partNumber?: number
    readonly keyspace?: string
  }
  /** The position of the event that the row's key contains. */
  readonly seq?: Seq
}

type Describe = (reader: KeyReader) => Omit<DescribedKey, 'table'>

const bucket: Describe = (reader) => ({ of: { bucket: reader.text() } })
const setting: Describe = (reader) => ({ of: { bucket: reader.text() }, seq: reader.seq() })
const objectKey: Describe = (reader) => ({ of: { bucket: reader.text(), key: reader.text() } })
const version: Describe = (reader) => {
  const { of } = objectKey(reader)
  const seq = reader.seqDescending()
  return { of: { versionId: versionId({ seq, epoch: undefined, nullVersion: false }), ...of }, seq }
}
const change: Describe = (reader) => ({ ...objectKey(reader), seq: reader.seqDescending() })
const upload: Describe = (reader) => {
  const name = reader.text()
  reader.seq()
  const key = reader.text()
  const seq = reader.seq()
  return { of: { bucket: name, key, uploadId: publicUploadId(seq) }, seq }
}
const pastUpload: Describe = (reader) => {
  const { of } = objectKey(reader)
  const seq = reader.seq()
  return { of: { ...of, uploadId: publicUploadId(seq) }, seq }
}
const ofUpload: Describe = (reader) => ({ of: { uploadId: publicUploadId(reader.seq()) } })
const part: Describe = (reader) => ({ of: { uploadId: publicUploadId(reader.seq()), partNumber: reader.number16() } })
const pastPart: Describe = (reader) => {
  const { of } = ofUpload(reader)
  return { ...(of && { of }), seq: reader.seq() }
}
const keyspace: Describe = (reader) => ({ of: { keyspace: reader.text() } })
const byEvent: Describe = (reader) => ({ seq: reader.seq() })
const ofFork: Describe = (reader) => {
  reader.seq()
  return { of: { key: reader.text() } }
}
const borrowed: Describe = (reader) => {
  const { of } = ofFork(reader)
  const seq = reader.seqDescending()
  return { of: { versionId: versionId({ seq, epoch: undefined, nullVersion: false }), ...of }, seq }
}
const nothing: Describe = () => ({})

/** Indexed by the first byte of the key, as in `tables.ts`. */
const tables: Readonly<Record<number, readonly [table: string, describe: Describe]>> = {
  0x01: ['head', nothing],
  0x10: ['bucket', bucket],
  0x11: ['pastBucket', bucket],
  0x12: ['setting', setting],
  0x13: ['deletedBucket', byEvent],
  0x14: ['retention', byEvent],
  0x15: ['snapshot', nothing],
  0x16: ['pins', nothing],
  0x17: ['unpinned', byEvent],
  0x18: ['dropped', bucket],
  0x19: ['task', nothing],
  0x1a: ['identity', nothing],
  0x1b: ['identityName', nothing],
  0x1c: ['accessKey', nothing],
  0x1d: ['retiredIdentity', nothing],
  0x1e: ['identityCount', nothing],
  0x1f: ['identityQuota', nothing],
  0x20: ['current', objectKey],
  0x21: ['version', version],
  0x22: ['pastVersion', version],
  0x23: ['nullVersion', objectKey],
  0x24: ['annotation', version],
  0x25: ['pastAnnotation', version],
  0x26: ['newestChange', change],
  0x27: ['nullChange', change],
  0x28: ['ownKey', ofFork],
  0x29: ['borrowed', borrowed],
  0x30: ['upload', upload],
  0x31: ['pastUpload', pastUpload],
  0x32: ['part', part],
  0x33: ['completion', ofUpload],
  0x34: ['pastPart', pastPart],
  0x40: ['share', nothing],
  0x41: ['garbage', byEvent],
  0x42: ['blob', nothing],
  0x43: ['keys', nothing],
  0x44: ['waiting', nothing],
  0x45: ['erasing', byEvent],
  0x46: ['usage', nothing],
  0x47: ['uploadUsage', ofUpload],
  0x48: ['pinned', byEvent],
  0x49: ['pinnedBy', nothing],
  0x4a: ['erased', nothing],
  0x4b: ['ownerUsage', nothing],
  0x4c: ['epochs', nothing],
  0x4d: ['holder', nothing],
  0x4e: ['ownerShared', nothing],
  0x80: ['inline', nothing],
  0x81: ['dataKey', nothing],
  0xa0: ['keyspace', keyspace],
}

/** The same row in a log with epochs: keys do not have the epochs of their versions. */
export function inEpoch<T extends Pick<DescribedKey, 'of'>>(described: T, epochs: Epochs): T {
  const { of } = described
  if (epochs.length === 0 || of?.versionId === undefined) return described
  const version = parseVersionId(of.versionId)
  if (version === null || version.epoch !== undefined) return described
  const epoch = epochAt(epochs, version.seq)
  return { ...described, of: { ...of, versionId: versionId({ seq: version.seq, epoch, nullVersion: false }) } }
}

/** A key of an unknown table gets the table `unknown`: a search for damage may find such keys. */
export function describeKey(bytes: Uint8Array): DescribedKey {
  const [table, describe] = tables[bytes[0] ?? 0] ?? ['unknown', nothing]
  try {
    return { table, ...describe(new KeyReader(bytes)) }
  } catch {
    return { table }
  }
}
