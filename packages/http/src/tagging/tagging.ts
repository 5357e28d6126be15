import type { Tag } from '@varve/core'
import { readXml } from '../xml/read.ts'
import { list, object, optional, text } from '../xml/schema.ts'
import { element } from '../xml/write.ts'
import type { Xml } from '../xml/write.ts'

/** More than any limit on tags, so that the store's checks can refuse with their own errors. */
const tagsMax = 1000

/** The schema of a tag set, in any document. */
export const tagSetSchema = object({ Tag: list(object({ Key: text(), Value: text() }), { max: tagsMax }) })
const schema = object({ TagSet: optional(tagSetSchema) })

/** In the order they were sent, unchecked. @throws MalformedXML */
export function readTagging(bytes: Uint8Array): readonly Tag[] {
  const { TagSet } = readXml(bytes, 'Tagging', schema, { bytesMax: 1024 * 1024 })
  return tagsOf(TagSet)
}

type TagSet = { readonly Tag: readonly { readonly Key: string; readonly Value: string }[] }

export const tagsOf = (set: TagSet | undefined): readonly Tag[] =>
  (set?.Tag ?? []).map(({ Key, Value }) => ({ key: Key, value: Value }))

export function tagSetElement(tags: readonly Tag[]): Xml {
  return element(
    'TagSet',
    tags.map(({ key, value }) => element('Tag', [element('Key', key), element('Value', value)])),
  )
}
