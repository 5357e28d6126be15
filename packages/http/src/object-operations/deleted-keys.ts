import { readLongXml, readXml } from '../xml/read.ts'
import { boolean, type Infer, integer, list, object, optional, text } from '../xml/schema.ts'

export interface DeleteObjectsBody {
  /** Report failures only. */
  readonly quiet: boolean
  readonly objects: readonly ObjectToDelete[]
}

export interface ObjectToDelete {
  /** As sent: decoded from XML once, never URL-decoded. It may be empty or too long; each key is checked by itself. */
  readonly key: string
  readonly versionId?: string
  /** As sent, with its quotes. */
  readonly etag?: string
  readonly lastModifiedTime?: string
  /** As sent. */
  readonly size?: number
}

const objectsMax = 1000
const bytesMax = 8 * 1024 * 1024

const schema = object({
  Quiet: optional(boolean()),
  Object: list(
    object({
      Key: text(),
      VersionId: optional(text({ max: 1024 })),
      ETag: optional(text({ max: 256 })),
      LastModifiedTime: optional(text({ max: 64 })),
      Size: optional(integer({ min: 0, max: Number.MAX_SAFE_INTEGER })),
    }),
    { min: 1, max: objectsMax },
  ),
})

/**
 * 1 to 1000 objects, in order.
 * @throws MalformedXML
 */
export function readDeleteObjects(bytes: Uint8Array): DeleteObjectsBody {
  return bodyOf(readXml(bytes, 'Delete', schema, { bytesMax }))
}

/** `readDeleteObjects` for bodies that may be long: other requests get turns in between. */
export async function takeDeleteObjects(bytes: Uint8Array, holder?: string): Promise<DeleteObjectsBody> {
  return bodyOf(await readLongXml(bytes, 'Delete', schema, { bytesMax, holder }))
}

function bodyOf(body: Infer<typeof schema>): DeleteObjectsBody {
  const objects = body.Object.map(({ Key, VersionId, ETag, LastModifiedTime, Size }) => ({
    key: Key,
    ...(VersionId !== undefined && { versionId: VersionId }),
    ...(ETag !== undefined && { etag: ETag }),
    ...(LastModifiedTime !== undefined && { lastModifiedTime: LastModifiedTime }),
    ...(Size !== undefined && { size: Size }),
  }))
  return { quiet: body.Quiet ?? false, objects }
}
