import type { ObjectOwnership } from '@varve/core'
import { readXml } from '../xml/read.ts'
import { list, object, oneOf } from '../xml/schema.ts'
import { element, type Xml } from '../xml/write.ts'

const words = ['BucketOwnerEnforced', 'BucketOwnerPreferred', 'ObjectWriter'] as const

const schema = object({ Rule: list(object({ ObjectOwnership: oneOf(...words) }), { min: 1, max: 1 }) })

/** @throws MalformedXML for anything but one rule */
export function readOwnershipControls(bytes: Uint8Array): ObjectOwnership {
  const [rule] = readXml(bytes, 'OwnershipControls', schema).Rule
  return (rule as NonNullable<typeof rule>).ObjectOwnership
}

export const ownershipElements = (ownership: ObjectOwnership): readonly Xml[] => [
  element('Rule', [element('ObjectOwnership', ownership)]),
]

/** The object ownership that a header names. */
export const objectOwnership = (word: string): ObjectOwnership | undefined => words.find((known) => known === word)
