import { checksumAlgorithms, type ChecksumAlgorithm } from '@varve/core'
import { malformed } from '../xml/malformed.ts'
import { readLongXml, readXml } from '../xml/read.ts'
import { type Infer, integer, list, object, optional, text } from '../xml/schema.ts'

export interface CompletedPartBody {
  readonly partNumber: number
  /** Without the quotes around it. */
  readonly etag: string
  /** Base64, by algorithm, in the order of the algorithms. Most clients send none or one. */
  readonly checksums: readonly PartChecksum[]
}

export interface PartChecksum {
  readonly algorithm: ChecksumAlgorithm
  readonly value: string
}

const partsMax = 10_000
const bytesMax = 4 * 1024 * 1024
const checksumText = optional(text({ max: 128 }))
type ChecksumElement = `Checksum${ChecksumAlgorithm}`
const checksumElements = Object.fromEntries(
  checksumAlgorithms.map((algorithm) => [`Checksum${algorithm}`, checksumText]),
) as Readonly<Record<ChecksumElement, typeof checksumText>>

const schema = object({
  Part: list(
    object({
      PartNumber: integer({ min: 1, max: partsMax }),
      ETag: text({ max: 256 }),
      ...checksumElements,
    }),
    { max: partsMax },
  ),
})

/**
 * The parts in the order they were listed, at least one.
 * An empty checksum element counts as absent.
 * @throws MalformedXML
 */
export function readCompleteMultipartUpload(bytes: Uint8Array): readonly CompletedPartBody[] {
  return partsOf(readXml(bytes, 'CompleteMultipartUpload', schema, { bytesMax }))
}

/** `readCompleteMultipartUpload` for bodies that may be long: other requests get turns in between. */
export async function takeCompleteMultipartUpload(
  bytes: Uint8Array,
  holder?: string,
): Promise<readonly CompletedPartBody[]> {
  return partsOf(await readLongXml(bytes, 'CompleteMultipartUpload', schema, { bytesMax, holder }))
}

function partsOf(body: Infer<typeof schema>): readonly CompletedPartBody[] {
  if (body.Part.length === 0) throw malformed('it lists no part')
  return body.Part.map((part) => ({
    partNumber: part.PartNumber,
    etag: unquoted(part.ETag),
    checksums: checksumsOf(part),
  }))
}

function checksumsOf(part: { readonly [K in ChecksumElement]?: string }): readonly PartChecksum[] {
  const checksums: PartChecksum[] = []
  for (const algorithm of checksumAlgorithms) {
    const value = part[`Checksum${algorithm}`]
    if (value !== undefined && value !== '') checksums.push({ algorithm, value })
  }
  return checksums
}

function unquoted(etag: string): string {
  return etag.length >= 2 && etag.startsWith('"') && etag.endsWith('"') ? etag.slice(1, -1) : etag
}
