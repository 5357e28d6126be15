import { readXml } from '../xml/read.ts'
import { object, oneOf, optional } from '../xml/schema.ts'

export interface VersioningConfigurationBody {
  /** Absent when the element is: well formed, and the operation's to judge. */
  readonly status?: 'Enabled' | 'Suspended'
  readonly mfaDelete?: 'Enabled' | 'Disabled'
}

const schema = object({
  Status: optional(oneOf('Enabled', 'Suspended')),
  MfaDelete: optional(oneOf('Enabled', 'Disabled')),
})

/** @throws MalformedXML for any other word, however close (`enabled`, `Disabled`) */
export function readVersioningConfiguration(bytes: Uint8Array): VersioningConfigurationBody {
  const { Status, MfaDelete } = readXml(bytes, 'VersioningConfiguration', schema)
  return { ...(Status !== undefined && { status: Status }), ...(MfaDelete !== undefined && { mfaDelete: MfaDelete }) }
}
