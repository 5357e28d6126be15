import type { Tag } from '@varve/core'
import { S3Error } from '../errors/errors.ts'
import { readXml } from '../xml/read.ts'
import { object, opaque, optional, text } from '../xml/schema.ts'
import { tagSetSchema, tagsOf } from '../tagging/tagging.ts'

export interface CreateBucketConfigurationBody {
  /** As sent, possibly empty; absent without a body or without the element. */
  readonly locationConstraint?: string
  /** As sent, unchecked; absent without tags. */
  readonly tags?: readonly Tag[]
}

const schema = object({
  LocationConstraint: optional(text({ max: 256 })),
  Location: optional(opaque()),
  Bucket: optional(opaque()),
  Tags: optional(tagSetSchema),
})

/**
 * An absent body is an empty configuration.
 * @throws MalformedXML
 * @throws NotImplemented for `Location` and `Bucket` (directory buckets): ignoring them would falsely report success
 */
export function readCreateBucketConfiguration(bytes: Uint8Array): CreateBucketConfigurationBody {
  if (bytes.byteLength === 0) return {}
  const body = readXml(bytes, 'CreateBucketConfiguration', schema)
  for (const name of ['Location', 'Bucket'] as const) {
    if (body[name]) throw new S3Error('NotImplemented', `CreateBucketConfiguration with ${name} is not implemented.`)
  }
  const tags = tagsOf(body.Tags)
  return {
    ...(body.LocationConstraint !== undefined && { locationConstraint: body.LocationConstraint }),
    ...(tags.length > 0 && { tags }),
  }
}
