import type { PublicAccessBlock } from '@varve/core'
import { readXml } from '../xml/read.ts'
import { boolean, object, optional } from '../xml/schema.ts'
import { element, type Xml } from '../xml/write.ts'

const schema = object({
  BlockPublicAcls: optional(boolean()),
  IgnorePublicAcls: optional(boolean()),
  BlockPublicPolicy: optional(boolean()),
  RestrictPublicBuckets: optional(boolean()),
})

/** An absent element means false. @throws MalformedXML */
export function readPublicAccessBlock(bytes: Uint8Array): PublicAccessBlock {
  const body = readXml(bytes, 'PublicAccessBlockConfiguration', schema)
  return {
    blockPublicAcls: body.BlockPublicAcls ?? false,
    ignorePublicAcls: body.IgnorePublicAcls ?? false,
    blockPublicPolicy: body.BlockPublicPolicy ?? false,
    restrictPublicBuckets: body.RestrictPublicBuckets ?? false,
  }
}

export const publicAccessBlockElements = (block: PublicAccessBlock): readonly Xml[] => [
  element('BlockPublicAcls', block.blockPublicAcls),
  element('IgnorePublicAcls', block.ignorePublicAcls),
  element('BlockPublicPolicy', block.blockPublicPolicy),
  element('RestrictPublicBuckets', block.restrictPublicBuckets),
]
