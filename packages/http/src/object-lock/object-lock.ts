import type { ObjectLockConfiguration } from '@varve/core'
import { malformed } from '../xml/malformed.ts'
import { readXml } from '../xml/read.ts'
import { object, oneOf, optional, text } from '../xml/schema.ts'
import { element } from '../xml/write.ts'
import type { Xml } from '../xml/write.ts'

/** Numbers below 1 are well-formed XML, but not valid periods. */
const period = text({ max: 16 })
const schema = object({
  ObjectLockEnabled: oneOf('Enabled'),
  Rule: optional(
    object({
      DefaultRetention: object({
        Mode: oneOf('GOVERNANCE', 'COMPLIANCE'),
        Days: optional(period),
        Years: optional(period),
      }),
    }),
  ),
})

/** @throws MalformedXML, also for days together with years, and for neither */
export function readObjectLockConfiguration(bytes: Uint8Array): ObjectLockConfiguration {
  const { Rule } = readXml(bytes, 'ObjectLockConfiguration', schema)
  if (Rule === undefined) return {}
  const { Mode, Days, Years } = Rule.DefaultRetention
  if (Days !== undefined && Years === undefined) return { default: { mode: Mode, days: wholeNumber(Days) } }
  if (Years !== undefined && Days === undefined) return { default: { mode: Mode, years: wholeNumber(Years) } }
  throw malformed('a default retention has days or years')
}

function wholeNumber(text: string): number {
  if (/^-?[0-9]{1,9}$/.test(text)) return Number(text)
  throw malformed('days and years are whole numbers')
}

export function objectLockElements({ default: retention }: ObjectLockConfiguration): readonly Xml[] {
  const enabled = element('ObjectLockEnabled', 'Enabled')
  if (retention === undefined) return [enabled]
  const length = 'days' in retention ? element('Days', retention.days) : element('Years', retention.years)
  return [enabled, element('Rule', [element('DefaultRetention', [element('Mode', retention.mode), length])])]
}
