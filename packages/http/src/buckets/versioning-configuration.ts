import { readXml } from '../xml/read.ts'
import { object, oneOf, optional } from '../xml/schema.ts'

export interface VersioningConfigurationBody {
  /** Absent without the element. That is well-formed, and the operation decides about it. */
  readonly status?: 'Enabled' | 'Suspended'
  readonly mfaDelete?: 'Enabled' | 'Disabled'
}

const schema = object({
  Status: optional(oneOf('Enabled', 'Suspended')),
  MfaDelete: optional(oneOf('Enabled', 'Disabled')),
})

/** @throws MalformedXML for any other word, even a similar one (`enabled`, `Disabled`) */
export function readVersioningConfiguration(bytes: Uint8Array): VersioningConfigurationBody {
  const { Status, MfaDelete } = readXml(bytes, 'VersioningConfiguration', schema)
  return { ...(Status !== undefined && { status: Status }), ...(MfaDelete !== undefined && { mfaDelete: MfaDelete }) }
}
