import { readXml } from '../xml/read.ts'
import { object, oneOf } from '../xml/schema.ts'

const schema = object({ Status: oneOf('ON', 'OFF') })

/** @throws MalformedXML */
export function readLegalHold(bytes: Uint8Array): 'ON' | 'OFF' {
  return readXml(bytes, 'LegalHold', schema).Status
}
