import type { Retention } from '@varve/core'
import { parseIsoTime } from '../headers/iso-time.ts'
import { malformed } from '../xml/malformed.ts'
import { readXml } from '../xml/read.ts'
import { object, oneOf, optional, text } from '../xml/schema.ts'
import { element } from '../xml/write.ts'
import type { Xml } from '../xml/write.ts'

const schema = object({
  Mode: optional(oneOf('GOVERNANCE', 'COMPLIANCE')),
  RetainUntilDate: optional(text({ max: 64 })),
})

/** `undefined` for an empty document: it removes the retention. @throws MalformedXML */
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
