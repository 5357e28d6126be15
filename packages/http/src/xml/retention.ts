import type { Retention } from '@varve/core'
import { parseIsoTime } from '../objects/iso-time.ts'
import { malformed } from './malformed.ts'
import { readXml } from './read.ts'
import { object, oneOf, optional, text } from './schema.ts'
import { element } from './write.ts'
import type { Xml } from './write.ts'

const schema = object({
  Mode: optional(oneOf('GOVERNANCE', 'COMPLIANCE')),
  RetainUntilDate: optional(text({ max: 64 })),
})

/** `undefined` for an empty document: it asks for there to be none. @throws MalformedXML */
export function readRetention(bytes: Uint8Array): Retention | undefined {
  const { Mode, RetainUntilDate } = readXml(bytes, 'Retention', schema)
  if (Mode === undefined && RetainUntilDate === undefined) return undefined
  if (Mode === undefined || RetainUntilDate === undefined) throw malformed('Mode and RetainUntilDate belong together')
  const until = parseIsoTime(RetainUntilDate)
  if (until === undefined) throw malformed('RetainUntilDate must be a date as ISO 8601 writes it')
  return { mode: Mode, until }
}

export const retentionElements = ({ mode, until }: Retention): readonly Xml[] => [
  element('Mode', mode),
  element('RetainUntilDate', new Date(until).toISOString()),
]
